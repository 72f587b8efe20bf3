// A table of the samples that holds only the rows in sight, however many there are.

const ROW_HEIGHT = 34; // as in page.css

class SampleTable {
  constructor(root, samples, { onActivate, onToggle }) {
    this.samples = samples;
    this.scroller = root.querySelector(".table-scroll");
    this.head = root.querySelector("thead tr");
    this.body = root.querySelector("tbody");
    this.table = root.querySelector("table");
    this.onActivate = onActivate;
    this.columns = [this.idColumn(), ...samples.columns];
    this.sorted = { column: samples.numericIds ? 0 : -1, up: true }; // rows begin in the order of the data
    this.order = Uint32Array.from({ length: samples.n }, (_, i) => i);
    this.rows = this.order;
    this.active = -1;
    this.buildHead();
    this.scroller.addEventListener("scroll", () => this.draw());
    this.scroller.addEventListener("keydown", (event) => this.onKey(event, onToggle));
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-at]");
      if (row) this.activate(Number(row.dataset.at));
    });
    this.body.addEventListener("dblclick", (event) => {
      const row = event.target.closest("tr[data-at]");
      if (row) onToggle(this.rows[Number(row.dataset.at)]);
    });
    new ResizeObserver(() => this.draw()).observe(this.scroller);
  }

  idColumn() {
    const { samples } = this;
    return { title: "ID", kind: "id", text: (i) => samples.id(i), isMissing: () => false };
  }

  buildHead() {
    this.columns.forEach((column, number) => {
      const cell = document.createElement("th");
      const button = document.createElement("button");
      cell.scope = "col";
      button.type = "button";
      button.textContent = button.title = column.title;
      button.addEventListener("click", () => this.sortBy(number));
      if (column.kind === "number") cell.className = "number";
      cell.append(button);
      this.head.append(cell);
    });
    this.markSorted();
  }

  markSorted() {
    [...this.head.children].forEach((cell, number) => {
      const own = number === this.sorted.column;
      cell.setAttribute("aria-sort", own ? (this.sorted.up ? "ascending" : "descending") : "none");
    });
  }

  sortBy(number) {
    const up = this.sorted.column === number ? !this.sorted.up : true;
    const column = this.columns[number];
    this.sorted = { column: number, up };
    const sign = up ? 1 : -1;
    const order = Array.from({ length: this.samples.n }, (_, i) => i);
    if (column.kind === "id" && this.samples.numericIds) {
      if (!up) order.reverse();
    } else if (column.kind === "id" || column.kind === "text") {
      const collator = new Intl.Collator(undefined, { numeric: true });
      const texts = order.map((i) => column.text(i));
      order.sort((a, b) => sign * collator.compare(texts[a], texts[b]) || a - b);
    } else {
      const rank = (i) => (column.isMissing(i) ? null : column.rank(i));
      order.sort((a, b) => {
        const first = rank(a);
        const second = rank(b);
        if (first === null || second === null) return (first === null) - (second === null) || a - b;
        return sign * (first - second) || a - b;
      });
    }
    this.order = Uint32Array.from(order);
    this.markSorted();
    this.filter(this.keep);
  }

  // keep: one flag per sample, or nothing
  filter(keep) {
    this.keep = keep;
    this.rows = keep ? this.order.filter((i) => keep[i]) : this.order;
    this.active = -1;
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.scroller.scrollTop = 0;
    this.draw();
  }

  draw() {
    const height = this.scroller.clientHeight || 400;
    const first = Math.max(Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - 4, 0);
    const last = Math.min(first + Math.ceil(height / ROW_HEIGHT) + 8, this.rows.length);
    const parts = [spacer(first * ROW_HEIGHT, this.columns.length)];
    for (let at = first; at < last; at++) parts.push(this.row(at));
    parts.push(spacer((this.rows.length - last) * ROW_HEIGHT, this.columns.length));
    this.body.replaceChildren(...parts);
  }

  row(at) {
    const i = this.rows[at];
    const row = document.createElement("tr");
    row.dataset.at = String(at);
    row.setAttribute("aria-rowindex", String(at + 2));
    if (at === this.active) row.setAttribute("aria-current", "true");
    for (const column of this.columns) {
      const cell = document.createElement("td");
      const text = column.text(i);
      cell.textContent = text;
      if (text.length > 24) cell.title = text; // it may be cut
      if (column.kind === "number") cell.className = "number";
      row.append(cell);
    }
    return row;
  }

  // scroll to a sample that was chosen elsewhere, if it is among the listed ones
  reveal(i) {
    const at = this.rows.indexOf(i);
    if (at >= 0) this.moveTo(at);
  }

  moveTo(at) {
    this.active = Math.min(Math.max(at, 0), this.rows.length - 1);
    const top = this.active * ROW_HEIGHT;
    const room = this.scroller.clientHeight - 2 * ROW_HEIGHT;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    if (top > this.scroller.scrollTop + room) this.scroller.scrollTop = top - room;
    this.draw();
  }

  activate(at) {
    this.moveTo(at);
    this.onActivate(this.active < 0 ? -1 : this.rows[this.active]);
  }

  onKey(event, onToggle) {
    if (event.target !== this.scroller) return;
    const page = Math.max(Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 2, 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.activate(this.active < 0 ? 0 : this.active + steps[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && this.active >= 0) onToggle(this.rows[this.active]);
    else return;
    event.preventDefault();
  }
}

function spacer(height, width) {
  const row = document.createElement("tr");
  const cell = document.createElement("td");
  row.setAttribute("aria-hidden", "true");
  row.className = "spacer";
  cell.colSpan = width;
  cell.style.height = `${height}px`;
  row.append(cell);
  return row;
}
