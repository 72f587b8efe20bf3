// Turns a column into one RGBA color per sample.

const NO_VALUE = [154, 160, 166];
const SEQUENTIAL = ["#3b2f7f", "#33638d", "#1f908c", "#5cc863", "#e2d639"].map(parseColor);

function parseColor(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function rampColor(share) {
  const at = Math.min(Math.max(share, 0), 1) * (SEQUENTIAL.length - 1);
  const left = Math.min(Math.floor(at), SEQUENTIAL.length - 2);
  return SEQUENTIAL[left].map((part, c) => Math.round(part + (at - left) * (SEQUENTIAL[left + 1][c] - part)));
}

function cssColor(rgb) {
  return `rgb(${rgb[0]}, ${rgb[1]}, ${rgb[2]})`;
}

// colors of a column's categories: clusters keep theirs, whoever votes for them
function categoryColors(column, palette) {
  return column.names.map((_, code) => parseColor(palette[code % palette.length]));
}

function sampleColors(column, n, palette) {
  const out = new Uint8Array(4 * n);
  const known = column.isCategory ? categoryColors(column, palette) : null;
  const span = column.high - column.low || 1;
  for (let i = 0; i < n; i++) {
    let rgb = NO_VALUE;
    if (!column.isMissing(i)) rgb = known ? known[column.values[i]] : rampColor((column.values[i] - column.low) / span);
    out[4 * i] = rgb[0];
    out[4 * i + 1] = rgb[1];
    out[4 * i + 2] = rgb[2];
    out[4 * i + 3] = 255;
  }
  return out;
}
