// Finds samples by place: the nearest one to a point, and all inside a polygon.

const CELLS = 128;

class PlaceIndex {
  constructor(samples) {
    this.samples = samples;
    this.starts = new Uint32Array(CELLS * CELLS + 1);
    this.order = new Uint32Array(samples.n);
    for (let i = 0; i < samples.n; i++) this.starts[this.cell(i) + 1]++;
    for (let c = 0; c < CELLS * CELLS; c++) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    for (let i = 0; i < samples.n; i++) this.order[next[this.cell(i)]++] = i;
  }

  cell(i) {
    return (this.samples.y[i] >> 9) * CELLS + (this.samples.x[i] >> 9);
  }

  // the nearest sample within a distance, both in units of the square; -1 if there is none
  nearest(x, y, within) {
    const reach = (value) => Math.min(Math.max(Math.floor(value * CELLS), 0), CELLS - 1);
    let best = -1;
    let least = within * within;
    for (let row = reach(y - within); row <= reach(y + within); row++) {
      for (let column = reach(x - within); column <= reach(x + within); column++) {
        const c = row * CELLS + column;
        for (let k = this.starts[c]; k < this.starts[c + 1]; k++) {
          const i = this.order[k];
          const dx = this.samples.x[i] / 65535 - x;
          const dy = this.samples.y[i] / 65535 - y;
          if (dx * dx + dy * dy <= least) {
            least = dx * dx + dy * dy;
            best = i;
          }
        }
      }
    }
    return best;
  }
}

// whether each sample lies inside a polygon of [x, y] points, by the even-odd rule
function insidePolygon(samples, polygon) {
  const inside = new Uint8Array(samples.n);
  for (let i = 0; i < samples.n; i++) {
    const x = samples.x[i] / 65535;
    const y = samples.y[i] / 65535;
    let odd = 0;
    for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a++) {
      const [ax, ay] = polygon[a];
      const [bx, by] = polygon[b];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd ^= 1;
    }
    inside[i] = odd;
  }
  return inside;
}
