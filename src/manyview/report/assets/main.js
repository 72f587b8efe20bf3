// Puts the page together: what is chosen on the map, in the legend or in the table is chosen everywhere.

const MAX_LEGEND = 40;

function start() {
  const source = JSON.parse(document.getElementById("samples").textContent);
  const root = document.getElementById("map");
  const samples = loadSamples(source);
  const find = (selector) => root.querySelector(selector);
  const state = { chosen: null, codes: new Set(), column: samples.columns[0] };

  const map = source.mapped
    ? new SampleMap(root, samples, { onLasso: (inside) => choose(inside), onPick: (i) => table.reveal(i) })
    : null;
  const table = new SampleTable(root, samples, { onActivate: (i) => map && map.show(i), onToggle: toggle });

  // chosen: one flag per sample, or null for no choice
  function choose(chosen, codes = new Set()) {
    state.chosen = chosen && chosen.includes(1) ? chosen : null;
    state.codes = codes;
    if (map) map.setChosen(state.chosen || new Uint8Array(samples.n).fill(1));
    for (const button of root.querySelectorAll(".legend button")) {
      button.setAttribute("aria-pressed", String(codes.has(Number(button.dataset.code))));
    }
    refresh();
  }

  function toggle(i) {
    const chosen = state.chosen ? state.chosen.slice() : new Uint8Array(samples.n);
    chosen[i] ^= 1;
    choose(chosen);
  }

  function chooseCategory(code) {
    const codes = new Set(state.codes);
    if (!codes.delete(code)) codes.add(code);
    choose(codes.size ? Uint8Array.from(state.column.values, (value) => (codes.has(value) ? 1 : 0)) : null, codes);
  }

  function refresh() {
    const words = find(".search").value.trim().toLowerCase();
    let keep = state.chosen;
    if (words) {
      const texts = samples.columns.filter((column) => column.kind === "category" || column.kind === "text");
      keep = new Uint8Array(samples.n);
      for (let i = 0; i < samples.n; i++) {
        if (state.chosen && !state.chosen[i]) continue;
        keep[i] = samples.id(i).toLowerCase().includes(words) || texts.some((column) => column.text(i).toLowerCase().includes(words)) ? 1 : 0;
      }
    }
    table.filter(keep);
    const count = state.chosen ? state.chosen.reduce((sum, one) => sum + one, 0) : 0;
    const rows = table.rows.length.toLocaleString();
    find(".count").textContent = state.chosen ? `${count.toLocaleString()} selected, ${rows} listed` : `${rows} listed`;
    find(".clear").disabled = !state.chosen;
    find(".export").disabled = !state.chosen;
  }

  function colorBy(key) {
    state.column = samples.columns.find((column) => column.key === key);
    const colors = state.column.kind === "cluster" ? source.colors : source.category_colors;
    if (map) map.setColors(sampleColors(state.column, samples.n, colors));
    drawLegend(find(".legend"), state.column, colors, chooseCategory);
    if (state.codes.size) choose(null);
  }

  const select = find(".color-by");
  for (const column of samples.columns) {
    if (column.kind === "text") continue;
    const option = document.createElement("option");
    option.value = column.key;
    option.textContent = column.title;
    select.append(option);
  }
  select.addEventListener("change", () => colorBy(select.value));
  find(".search").addEventListener("input", refresh);
  find(".clear").addEventListener("click", () => choose(null));
  find(".export").addEventListener("click", () => download(source.name, idsAsCsv(samples, state.chosen)));
  if (map) {
    find(".lasso").addEventListener("click", (event) => {
      map.lassoing = !map.lassoing;
      event.currentTarget.setAttribute("aria-pressed", String(map.lassoing));
      map.overlay.classList.toggle("lassoing", map.lassoing);
    });
    find(".zoom-in").addEventListener("click", () => map.zoom(1.5));
    find(".zoom-out").addEventListener("click", () => map.zoom(1 / 1.5));
    find(".fit").addEventListener("click", () => map.fit());
  }
  for (const button of document.querySelectorAll("button[data-show-cluster]")) {
    button.addEventListener("click", () => {
      select.value = "cluster";
      colorBy("cluster");
      choose(null);
      chooseCategory(samples.columns[0].names.indexOf(button.dataset.showCluster));
      root.scrollIntoView({ behavior: "auto", block: "start" });
    });
  }
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape") choose(null);
  });
  colorBy("cluster");
  choose(null);
  return { samples, map, table, state };
}

function drawLegend(legend, column, palette, onPick) {
  const title = document.createElement("span");
  title.className = "legend-title";
  title.textContent = column.title;
  legend.replaceChildren(title);
  if (!column.isCategory) {
    const low = document.createElement("span");
    const ramp = document.createElement("span");
    const high = document.createElement("span");
    low.textContent = formatNumber(column.low, column.digits);
    high.textContent = formatNumber(column.high, column.digits);
    ramp.className = "ramp";
    ramp.style.background = `linear-gradient(to right, ${SEQUENTIAL.map(cssColor).join(", ")})`;
    legend.append(low, ramp, high);
    return;
  }
  const colors = categoryColors(column, palette);
  const add = (name, code) => {
    const button = document.createElement("button");
    const dot = document.createElement("span");
    const label = document.createElement("span");
    button.type = "button";
    button.dataset.code = String(code);
    button.setAttribute("aria-pressed", "false");
    dot.className = "dot";
    dot.style.background = cssColor(colors[code]);
    label.textContent = name;
    button.append(dot, label);
    button.addEventListener("click", () => onPick(code));
    legend.append(button);
  };
  column.names.slice(0, MAX_LEGEND).forEach(add);
  if (column.names.length > MAX_LEGEND) {
    const more = document.createElement("button");
    more.type = "button";
    more.className = "more";
    more.textContent = `and ${column.names.length - MAX_LEGEND} more`;
    more.addEventListener("click", () => {
      more.remove();
      column.names.slice(MAX_LEGEND).forEach((name, at) => add(name, MAX_LEGEND + at));
      legend.querySelector(`[data-code="${MAX_LEGEND}"]`).focus();
    });
    legend.append(more);
  }
}

function idsAsCsv(samples, chosen) {
  const quote = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = ["id,cluster"];
  for (let i = 0; i < samples.n; i++) {
    if (chosen[i]) lines.push(`${quote(samples.id(i))},${samples.columns[0].text(i)}`);
  }
  return lines.join("\n") + "\n";
}

function download(name, text) {
  const link = document.createElement("a");
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.href = url;
  link.download = `${name.replace(/[^\p{L}\p{N}_-]+/gu, "-")}-selected.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function chooseTheme() {
  const button = document.getElementById("theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
    if (window.manyviewReport.map) window.manyviewReport.map.drawOverlay();
  });
}

// what is folded on the screen is printed, too
function unfoldToPrint() {
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const one of folded) one.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const one of folded) one.open = false;
  });
}

window.manyviewReport = start(); // to look into from the console
chooseTheme();
unfoldToPrint();
