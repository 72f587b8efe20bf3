// Draws the samples on a 2-D canvas, where the browser has no WebGL2.

class CanvasRenderer {
  constructor(canvas, samples) {
    this.context = canvas.getContext("2d");
    this.canvas = canvas;
    this.samples = samples;
  }

  setColors(colors) {
    this.colors = colors;
  }

  setChosen(chosen) {
    this.chosen = chosen;
  }

  draw(camera, ratio) {
    const { context, samples, colors, chosen } = this;
    const radius = camera.radius(samples.n);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    const round = samples.n <= 20000;
    for (const [wanted, alpha] of [[0, faintness(samples.n)], [1, 0.85]]) {
      context.globalAlpha = alpha;
      for (let i = 0; i < samples.n; i++) {
        if (chosen[i] !== wanted) continue;
        const [px, py] = camera.toScreen(samples.x[i] / 65535, samples.y[i] / 65535);
        if (px < -9 || py < -9 || px > camera.width + 9 || py > camera.height + 9) continue;
        context.fillStyle = wanted ? `rgb(${colors[4 * i]},${colors[4 * i + 1]},${colors[4 * i + 2]})` : "#999";
        if (round) {
          context.beginPath();
          context.arc(px, py, radius, 0, 2 * Math.PI);
          context.fill();
        } else {
          context.fillRect(px - radius, py - radius, 2 * radius, 2 * radius);
        }
      }
    }
  }
}
