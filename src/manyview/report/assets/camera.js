// Where the unit square of the samples lies on the screen: pixel = offset + scale * position, y upward.

class Camera {
  constructor() {
    this.width = this.height = 1;
    this.scale = 1;
    this.offsetX = this.offsetY = 0;
    this.fitted = 1;
  }

  resize(width, height) {
    const first = this.width === 1;
    const center = this.toData(this.width / 2, this.height / 2);
    const zoom = this.scale / this.fitted;
    this.width = width;
    this.height = height;
    this.fitted = 0.94 * Math.min(width, height);
    if (first) return this.fit();
    this.scale = this.fitted * zoom;
    this.offsetX = width / 2 - center[0] * this.scale;
    this.offsetY = height / 2 + center[1] * this.scale;
  }

  fit() {
    this.scale = this.fitted;
    this.offsetX = (this.width - this.scale) / 2;
    this.offsetY = (this.height + this.scale) / 2;
  }

  toScreen(x, y) {
    return [this.offsetX + this.scale * x, this.offsetY - this.scale * y];
  }

  toData(px, py) {
    return [(px - this.offsetX) / this.scale, (this.offsetY - py) / this.scale];
  }

  pan(dx, dy) {
    this.offsetX += dx;
    this.offsetY += dy;
  }

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const wanted = Math.min(Math.max(this.scale * factor, this.fitted / 2), this.fitted * 400);
    const real = wanted / this.scale;
    this.offsetX = px - (px - this.offsetX) * real;
    this.offsetY = py - (py - this.offsetY) * real;
    this.scale = wanted;
  }

  // radius of a point in pixels: smaller where there are many, larger when zoomed in
  radius(n) {
    const base = Math.min(Math.max(130 / Math.sqrt(n), 1.1), 5);
    return Math.min(base * Math.pow(this.scale / this.fitted, 0.35), 9);
  }
}
