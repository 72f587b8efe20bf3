// Reads the page's data: base64 of little-endian numbers becomes typed arrays, one value per shown sample.

function decodeBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

const ARRAY_TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array };

function decodeColumn(column) {
  const isText = column.kind === "text";
  const values = isText ? null : new ARRAY_TYPES[column.dtype](decodeBase64(column.data));
  const none = column.dtype === "u1" ? 255 : 65535;
  const whole = column.kind === "number" && values.every((value) => Number.isNaN(value) || Number.isInteger(value));
  const digits = whole ? 0 : column.high - column.low >= 100 ? 1 : 3;
  return {
    key: column.key,
    title: column.title,
    kind: column.kind,
    names: column.names,
    low: column.low,
    high: column.high,
    values,
    digits,
    isCategory: column.kind === "cluster" || column.kind === "category",
    isMissing: (i) => (isText ? column.names[i] === "" : column.kind === "number" ? Number.isNaN(values[i]) : values[i] === none),
    text(i) {
      if (this.isMissing(i)) return "–";
      if (isText) return column.names[i];
      return column.kind === "number" ? formatNumber(values[i], digits) : column.names[values[i]];
    },
    // a number to sort by; missing values come last
    rank: (i) => (column.kind === "number" ? (Number.isNaN(values[i]) ? Infinity : values[i]) : values[i]),
  };
}

function formatNumber(value, digits) {
  const size = Math.abs(value);
  if (digits && size !== 0 && (size >= 1e6 || size < 0.5 * Math.pow(10, -digits))) return value.toExponential(2);
  return value.toFixed(digits);
}

function loadSamples(source) {
  const map = source.map;
  const rows = map.rows === null ? null : new Uint32Array(decodeBase64(map.rows));
  const x = new Uint16Array(decodeBase64(map.x));
  const y = new Uint16Array(decodeBase64(map.y));
  return {
    n: map.n_shown,
    x,
    y,
    columns: map.columns.map(decodeColumn),
    id: (i) => (map.ids !== null ? map.ids[i] : String(rows === null ? i : rows[i])),
    numericIds: map.ids === null,
  };
}
