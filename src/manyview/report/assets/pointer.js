// Turns mouse, pen and fingers into gestures: one pointer drags or draws, two pinch, a short press picks.

const STILL = 6; // pixels that a press may move and still be a click

function listenToPointers(element, on) {
  const held = new Map(); // pointers that are down, by their id
  let polygon = null; // of the lasso, while it is drawn
  let moved = 0; // pixels since the press
  const at = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    element.setPointerCapture(event.pointerId);
    held.set(event.pointerId, at(event));
    moved = held.size > 1 ? Infinity : 0;
    if (held.size === 1 && on.startsLasso(event)) polygon = [at(event)];
    else if (polygon) on.endLasso((polygon = null) || []); // a second finger: no lasso, but a pinch
  });

  element.addEventListener("pointermove", (event) => {
    const place = at(event);
    if (!held.has(event.pointerId)) {
      if (event.pointerType !== "touch") on.hover(place);
      return;
    }
    const before = held.get(event.pointerId);
    held.set(event.pointerId, place);
    moved += Math.hypot(place[0] - before[0], place[1] - before[1]);
    if (polygon) {
      polygon.push(place);
      on.drawLasso(polygon);
    } else if (held.size === 1) {
      if (moved > STILL) on.pan(place[0] - before[0], place[1] - before[1]);
    } else if (held.size === 2) {
      const [other] = [...held].filter(([id]) => id !== event.pointerId).map(([, where]) => where);
      const span = ([x, y]) => Math.max(Math.hypot(x - other[0], y - other[1]), 1);
      on.pan((place[0] - before[0]) / 2, (place[1] - before[1]) / 2);
      on.zoom(span(place) / span(before), (place[0] + other[0]) / 2, (place[1] + other[1]) / 2);
    }
  });

  const release = (event) => {
    if (!held.delete(event.pointerId)) return;
    const drawn = polygon;
    polygon = null;
    if (drawn) on.endLasso(event.type === "pointerup" ? drawn : []);
    else if (event.type === "pointerup" && moved <= STILL) on.pick(at(event), event.pointerType === "touch");
  };
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);
  element.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && on.hover(null));
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    on.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...at(event));
  }, { passive: false });
}
