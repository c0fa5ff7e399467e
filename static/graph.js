// The picture of the graph: names can be moved, a click or Enter shows whose ties they are, the slider leaves weak ones out.
// Everything is drawn by the server; this only moves and hides. Listeners sit on the document, so a swapped picture works.

const drawing = () => document.getElementById("drawing");
const ties = (root = document) => root.querySelectorAll("#drawing .tie, #ties tbody tr");
const dot = (member) => drawing().querySelector(`.dot[data-member="${member}"]`);

let held = null; // the name that is dragged: {dot, x, y, moved}

const pointIn = (svg, event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());

const within = (value, most) => Math.max(14, Math.min(most - 14, value));

const move = (member, x, y) => {
  dot(member).setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  for (const [end, side] of [["one", "1"], ["other", "2"]]) {
    for (const line of drawing().querySelectorAll(`.tie[data-${end}="${member}"]`)) {
      line.setAttribute(`x${side}`, x.toFixed(1));
      line.setAttribute(`y${side}`, y.toFixed(1));
    }
  }
};

document.addEventListener("pointerdown", (event) => {
  const found = event.target.closest?.("#drawing .dot");
  if (!found || event.button > 0) return;
  const at = pointIn(drawing(), event);
  const own = found.transform.baseVal.consolidate().matrix;
  held = { dot: found, x: own.e - at.x, y: own.f - at.y, moved: false };
  found.setPointerCapture(event.pointerId);
  event.preventDefault();
});

document.addEventListener("pointermove", (event) => {
  if (!held) return;
  const at = pointIn(drawing(), event);
  const box = drawing().viewBox.baseVal;
  held.moved ||= Math.hypot(event.movementX, event.movementY) > 1;
  if (held.moved) move(held.dot.dataset.member, within(at.x + held.x, box.width), within(at.y + held.y, box.height));
});

document.addEventListener("pointercancel", () => { held = null; });

document.addEventListener("pointerup", () => {
  if (held && !held.moved) choose(held.dot.dataset.member);
  held = null;
});

// A name is a link to its own graph, for where there is no script; here a click only shows what is its own.
document.addEventListener("dragstart", (event) => {
  if (event.target.closest?.("#drawing")) event.preventDefault();
});
document.addEventListener("click", (event) => {
  const found = event.target.closest?.("#drawing .dot");
  if (!found) return;
  event.preventDefault();
  if (event.detail === 0) choose(found.dataset.member); // Enter; the pointer's own click was seen above
});

const STEPS = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
document.addEventListener("keydown", (event) => {
  const found = event.target.closest?.("#drawing .dot");
  if (found && STEPS[event.key]) {
    const [by, down] = STEPS[event.key];
    const { e: x, f: y } = found.transform.baseVal.consolidate().matrix;
    const { width, height } = drawing().viewBox.baseVal;
    move(found.dataset.member, within(x + by, width), within(y + down, height));
    event.preventDefault();
  }
  const chosen = drawing()?.dataset.chosen;
  if (event.key === "Escape" && chosen) choose(chosen);
});

// A click on a name leaves only its own ties bright; a second one, all.
const choose = (member) => {
  const again = drawing().dataset.chosen === member;
  drawing().dataset.chosen = again ? "" : member;
  const near = new Set([member]);
  for (const tie of ties()) {
    const own = again || tie.dataset.one === member || tie.dataset.other === member;
    if (own) near.add(tie.dataset.one).add(tie.dataset.other);
    tie.classList.toggle("faint", !own);
  }
  for (const each of drawing().querySelectorAll(".dot")) {
    each.classList.toggle("faint", !again && !near.has(each.dataset.member));
    each.ariaCurrent = !again && each.dataset.member === member ? "true" : null;
  }
};

const shown = (element, on) => (on ? element.removeAttribute("display") : element.setAttribute("display", "none"));

const leaveOut = (least) => {
  const seen = new Set();
  let count = 0;
  for (const tie of ties()) {
    const on = Number(tie.dataset.strength) >= least;
    if (tie.matches("tr")) {
      tie.hidden = !on;
      count += on;
    } else {
      shown(tie, on);
      if (on) seen.add(tie.dataset.one).add(tie.dataset.other);
    }
  }
  for (const each of drawing().querySelectorAll(".dot")) shown(each, seen.has(each.dataset.member));
  document.getElementById("shown").textContent = count;
  document.getElementById("none-shown").hidden = count > 0;
};

document.addEventListener("input", (event) => {
  if (event.target.id !== "least") return;
  const least = Number(event.target.value);
  document.getElementById("least-said").textContent = `${Math.round(least * 100)} %`;
  if (drawing()) leaveOut(least);
});
