// Draws the samples with WebGL2: two passes, the faint ones below the chosen ones.

const VERTEX_SHADER = `#version 300 es
in vec2 position;
in vec4 color;
in float chosen;
uniform vec2 scale, offset;
uniform float size, wanted, alpha, gray;
out vec4 tint;
void main() {
  gl_Position = chosen == wanted ? vec4(position * scale + offset, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = size;
  tint = vec4(mix(color.rgb, vec3(0.6), gray), alpha);
}`;

const FRAGMENT_SHADER = `#version 300 es
precision highp float;
in vec4 tint;
uniform float size;
out vec4 color;
void main() {
  float edge = 0.5 * size - length(gl_PointCoord - 0.5) * size;
  color = vec4(tint.rgb, 1.0) * tint.a * clamp(edge + 0.5, 0.0, 1.0);
}`;

// opacity of samples that are not chosen: many faint ones on top of each other are not faint
function faintness(n) {
  return Math.min(Math.max(5 / Math.sqrt(n), 0.02), 0.2);
}

class WebGLRenderer {
  constructor(canvas, samples) {
    const gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("no WebGL2");
    this.gl = gl;
    this.canvas = canvas;
    this.samples = samples;
    this.build();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.build();
      this.setColors(this.colors);
      this.setChosen(this.chosen);
      this.draw(this.camera, this.ratio);
    });
  }

  build() {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX_SHADER], [gl.FRAGMENT_SHADER, FRAGMENT_SHADER]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    this.uniforms = {};
    for (const name of ["scale", "offset", "size", "wanted", "alpha", "gray"]) {
      this.uniforms[name] = gl.getUniformLocation(program, name);
    }
    const { n, x, y } = this.samples;
    const positions = new Uint16Array(2 * n);
    for (let i = 0; i < n; i++) {
      positions[2 * i] = x[i];
      positions[2 * i + 1] = y[i];
    }
    this.attribute(program, "position", 2, gl.UNSIGNED_SHORT, true, positions);
    this.colorBuffer = this.attribute(program, "color", 4, gl.UNSIGNED_BYTE, true, new Uint8Array(4 * n));
    this.chosenBuffer = this.attribute(program, "chosen", 1, gl.UNSIGNED_BYTE, false, new Uint8Array(n));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  attribute(program, name, width, type, normalized, values) {
    const gl = this.gl;
    const buffer = gl.createBuffer();
    const place = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, type, normalized, 0, 0);
    return buffer;
  }

  setColors(colors) {
    this.colors = colors;
    this.fill(this.colorBuffer, colors);
  }

  setChosen(chosen) {
    this.chosen = chosen;
    this.fill(this.chosenBuffer, chosen);
  }

  fill(buffer, values) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.STATIC_DRAW);
  }

  draw(camera, ratio) {
    this.camera = camera;
    this.ratio = ratio;
    const gl = this.gl;
    const u = this.uniforms;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(u.scale, (2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height);
    gl.uniform2f(u.offset, (2 * camera.offsetX) / camera.width - 1, 1 - (2 * camera.offsetY) / camera.height);
    gl.uniform1f(u.size, 2 * camera.radius(this.samples.n) * ratio + 1);
    for (const [wanted, alpha] of [[0, faintness(this.samples.n)], [1, 0.85]]) {
      gl.uniform1f(u.wanted, wanted);
      gl.uniform1f(u.gray, 0.8 * (1 - wanted));
      gl.uniform1f(u.alpha, alpha);
      gl.drawArrays(gl.POINTS, 0, this.samples.n);
    }
  }
}
