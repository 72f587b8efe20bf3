// The map: draws samples, and turns gestures and keys into pan, zoom, hover and lasso.

class SampleMap {
  constructor(root, samples, { onLasso, onPick }) {
    this.samples = samples;
    this.stage = root.querySelector(".stage");
    this.base = root.querySelector("canvas.points");
    this.overlay = root.querySelector("canvas.overlay");
    this.tip = root.querySelector(".tip");
    this.onLasso = onLasso;
    this.onPick = onPick;
    this.camera = new Camera();
    this.places = new PlaceIndex(samples);
    this.renderer = makeRenderer(this.base, samples);
    this.base = this.renderer.canvas;
    this.lasso = null; // points of the polygon while it is drawn, in pixels
    this.lassoing = false; // whether the lasso is the tool in hand
    this.marked = -1;
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.stage);
    this.resize();
  }

  resize() {
    const { width, height } = this.stage.getBoundingClientRect();
    if (!width || !height) return;
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [this.base, this.overlay]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
    }
    this.camera.resize(width, height);
    this.draw();
  }

  setColors(colors) {
    this.renderer.setColors(colors);
    this.draw();
  }

  setChosen(chosen) {
    this.renderer.setChosen(chosen);
    this.draw();
  }

  draw() {
    if (this.pending || !this.renderer.colors || !this.renderer.chosen) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.renderer.draw(this.camera, this.ratio);
      this.drawOverlay();
    });
  }

  drawOverlay() {
    const context = this.overlay.getContext("2d");
    const ink = getComputedStyle(this.stage).color;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.camera.width, this.camera.height);
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    if (this.lasso) {
      context.beginPath();
      this.lasso.forEach(([px, py]) => context.lineTo(px, py));
      context.closePath();
      context.globalAlpha = 0.08;
      context.fillStyle = ink;
      context.fill();
      context.globalAlpha = 1;
      context.setLineDash([5, 4]);
      context.stroke();
      context.setLineDash([]);
    }
    if (this.marked >= 0) {
      const [px, py] = this.screenOf(this.marked);
      context.beginPath();
      context.arc(px, py, this.camera.radius(this.samples.n) + 4, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  screenOf(i) {
    return this.camera.toScreen(this.samples.x[i] / 65535, this.samples.y[i] / 65535);
  }

  // ring and tooltip of a sample; -1 takes them away
  mark(i) {
    if (i === this.marked) return;
    this.marked = i;
    this.tip.hidden = i < 0;
    if (i >= 0) {
      const title = document.createElement("strong");
      title.textContent = this.samples.id(i);
      const list = document.createElement("dl");
      for (const column of this.samples.columns) {
        const name = document.createElement("dt");
        const value = document.createElement("dd");
        name.textContent = column.title;
        value.textContent = column.text(i);
        list.append(name, value);
      }
      this.tip.replaceChildren(title, list);
      const [px, py] = this.screenOf(i);
      const { offsetWidth: w, offsetHeight: h } = this.tip;
      const left = px + 16 + w > this.camera.width ? px - 16 - w : px + 16;
      this.tip.style.left = `${Math.max(Math.min(left, this.camera.width - w - 4), 4)}px`;
      this.tip.style.top = `${Math.max(Math.min(py + 12, this.camera.height - h - 4), 4)}px`;
    }
    this.drawOverlay();
  }

  // the nearest sample whose point is at most some pixels away; -1 if there is none
  sampleAt(px, py, within) {
    const [x, y] = this.camera.toData(px, py);
    return this.places.nearest(x, y, (this.camera.radius(this.samples.n) + within) / this.camera.scale);
  }

  listen() {
    listenToPointers(this.overlay, {
      startsLasso: (event) => this.lassoing || event.shiftKey,
      drawLasso: (polygon) => {
        this.lasso = polygon;
        this.mark(-1);
        this.drawOverlay();
      },
      endLasso: (polygon) => {
        this.lasso = null;
        this.drawOverlay();
        if (polygon.length < 3) return;
        this.onLasso(insidePolygon(this.samples, polygon.map(([px, py]) => this.camera.toData(px, py))));
      },
      pan: (dx, dy) => {
        this.camera.pan(dx, dy);
        this.mark(-1);
        this.draw();
      },
      zoom: (factor, px, py) => this.zoom(factor, px, py),
      hover: (place) => this.mark(place === null ? -1 : this.sampleAt(...place, 5)),
      pick: (place, touched) => {
        const i = this.sampleAt(...place, touched ? 16 : 5);
        this.mark(i);
        if (i >= 0) this.onPick(i);
      },
    });
    this.overlay.addEventListener("keydown", (event) => this.onKey(event));
  }

  // ring and tooltip of a sample that was chosen elsewhere, moved into sight
  show(i) {
    if (i >= 0) {
      const [px, py] = this.screenOf(i);
      const { width, height } = this.camera;
      if (px < 0 || py < 0 || px > width || py > height) {
        this.camera.pan(width / 2 - px, height / 2 - py);
        this.draw();
      }
    }
    this.mark(i);
  }

  zoom(factor, px, py) {
    this.camera.zoom(factor, px, py);
    this.mark(-1);
    this.draw();
  }

  fit() {
    this.camera.fit();
    this.mark(-1);
    this.draw();
  }

  onKey(event) {
    const steps = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
    if (event.key in steps) {
      this.camera.pan(...steps[event.key]);
      this.draw();
    } else if (event.key === "+" || event.key === "=") this.zoom(1.4);
    else if (event.key === "-") this.zoom(1 / 1.4);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }
}

function makeRenderer(canvas, samples) {
  try {
    return new WebGLRenderer(canvas, samples);
  } catch (error) {
    // a canvas that has been asked for one kind of context cannot give another
    const fresh = canvas.cloneNode();
    canvas.replaceWith(fresh);
    return new CanvasRenderer(fresh, samples);
  }
}
