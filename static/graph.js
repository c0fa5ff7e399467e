// The picture of the graph: names can be moved, found and zoomed to; a click or Enter shows whose ties they are, and the
// way to their page; the slider leaves weak ties out. Everything is drawn by the server; this only moves and hides.
// Listeners sit on the document, so a swapped picture works, and stands where the one before it stood.

const drawing = () => document.getElementById("drawing");
const ties = (root = document) => root.querySelectorAll("#drawing .tie, #drawing .tie-word, #ties tbody tr");
const dot = (member) => drawing().querySelector(`.dot[data-member="${member}"]`);
const dots = () => [...drawing().querySelectorAll(".dot:not([display])")];

let held = null; // the name that is dragged: {dot, x, y, moved}; or the paper: {paper, x, y}
let whole = null; // what the server drew: {width, height}
let view = null; // the part that is looked at: {x, y, width, height}; null for the whole

const pointIn = (svg, event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
const between = (value, least, most) => Math.max(least, Math.min(most, value));
const within = (value, most) => between(value, 14, most - 14);
const placeOf = (found) => {
  const { e: x, f: y } = found.transform.baseVal.consolidate().matrix;
  return { x, y };
};

const move = (member, x, y) => {
  dot(member).setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  for (const [end, side] of [["one", "1"], ["other", "2"]]) {
    for (const line of drawing().querySelectorAll(`.tie[data-${end}="${member}"]`)) {
      line.setAttribute(`x${side}`, x.toFixed(1));
      line.setAttribute(`y${side}`, y.toFixed(1));
    }
  }
  for (const word of drawing().querySelectorAll(`.tie-word[data-one="${member}"], .tie-word[data-other="${member}"]`)) {
    const ends = [word.dataset.one, word.dataset.other].map((each) => placeOf(dot(each)));
    word.setAttribute("x", (ends[0].x + ends[1].x) / 2);
    word.setAttribute("y", (ends[0].y + ends[1].y) / 2);
  }
};

// --- What part of it is looked at ------------------------------------------------------------------------------------

const look = (next) => {
  const svg = drawing();
  whole ??= { width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height };
  const width = between(next?.width ?? whole.width, whole.width / 8, whole.width);
  const height = (width * whole.height) / whole.width;
  const x = between(next?.x ?? 0, 0, whole.width - width);
  const y = between(next?.y ?? 0, 0, whole.height - height);
  view = width < whole.width ? { x, y, width, height } : null;
  svg.setAttribute("viewBox", `${x.toFixed(1)} ${y.toFixed(1)} ${width.toFixed(1)} ${height.toFixed(1)}`);
  svg.classList.toggle("zoomed", Boolean(view));
  svg.style.setProperty("--near", width / whole.width); // names stay as large as they are read
};

const seen = () => {
  look(view);
  return view ?? { x: 0, y: 0, ...whole };
};

// Zoom by a factor and keep the point where it is; 0 is the whole picture.
const zoom = (factor, at = null) => {
  if (!factor) return look(null);
  const now = seen();
  const point = at ?? { x: now.x + now.width / 2, y: now.y + now.height / 2 };
  const width = between(now.width / factor, whole.width / 8, whole.width);
  const by = width / now.width;
  look({ x: point.x - (point.x - now.x) * by, y: point.y - (point.y - now.y) * by, width });
};

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-zoom]");
  if (button && drawing()) zoom(Number(button.dataset.zoom));
});
document.addEventListener("wheel", (event) => {
  if (!event.ctrlKey || !event.target.closest?.("#drawing")) return; // a plain wheel scrolls the page; a pinch comes as ctrl
  event.preventDefault();
  zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, pointIn(drawing(), event));
}, { passive: false });

// --- Names are dragged, the paper too -------------------------------------------------------------------------------

document.addEventListener("pointerdown", (event) => {
  const found = event.target.closest?.("#drawing .dot");
  const paper = view && event.target.closest?.("#drawing");
  if (event.button > 0 || !(found || paper)) return;
  const at = pointIn(drawing(), event);
  if (found) {
    const own = placeOf(found);
    held = { dot: found, x: own.x - at.x, y: own.y - at.y, moved: false };
    found.setPointerCapture(event.pointerId);
  } else {
    held = { paper: true, x: at.x, y: at.y };
  }
  event.preventDefault();
});

document.addEventListener("pointermove", (event) => {
  if (!held) return;
  const at = pointIn(drawing(), event);
  if (held.paper) return look({ ...view, x: view.x + held.x - at.x, y: view.y + held.y - at.y });
  look(view);
  held.moved ||= Math.hypot(event.movementX, event.movementY) > 1;
  if (held.moved) move(held.dot.dataset.member, within(at.x + held.x, whole.width), within(at.y + held.y, whole.height));
});

document.addEventListener("pointercancel", () => { held = null; });

document.addEventListener("pointerup", () => {
  if (held?.dot && !held.moved) choose(held.dot.dataset.member);
  held = null;
});

// A name is a link to its own graph, for where there is no script; here a click only shows what is its own.
document.addEventListener("dragstart", (event) => {
  if (event.target.closest?.("#drawing")) event.preventDefault();
});
document.addEventListener("click", (event) => {
  const found = event.target.closest?.("#drawing .dot");
  if (event.target.closest?.("[data-let-go]")) letGo();
  if (!found) return;
  event.preventDefault();
  if (event.detail === 0) choose(found.dataset.member); // Enter; the pointer's own click was seen above
});

const STEPS = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
const ZOOMS = { "+": 1.4, "=": 1.4, "-": 0.72, 0: 0 };
document.addEventListener("keydown", (event) => {
  const found = event.target.closest?.("#drawing .dot");
  if (found && STEPS[event.key]) {
    const [by, down] = STEPS[event.key];
    const { x, y } = placeOf(found);
    look(view);
    move(found.dataset.member, within(x + by, whole.width), within(y + down, whole.height));
    event.preventDefault();
  }
  if (event.key in ZOOMS && event.target.closest?.(".picture") && !event.ctrlKey && !event.metaKey) zoom(ZOOMS[event.key]);
  if (event.key === "Escape" && drawing()) letGo();
});

// --- Whose ties they are --------------------------------------------------------------------------------------------

// A click on a name leaves only its own ties bright and shows the way to its page; a second one, all.
const choose = (member) => {
  if (drawing().dataset.chosen === member) return letGo();
  drawing().dataset.chosen = member;
  const near = new Set([member]);
  for (const tie of ties()) {
    const own = tie.dataset.one === member || tie.dataset.other === member;
    if (own) near.add(tie.dataset.one).add(tie.dataset.other);
    tie.classList.toggle("faint", !own);
  }
  for (const each of drawing().querySelectorAll(".dot")) {
    each.classList.toggle("faint", !near.has(each.dataset.member));
    each.ariaCurrent = each.dataset.member === member ? "true" : null;
  }
  tell(dot(member), near.size - 1);
};

const tell = (found, others) => {
  const chosen = document.getElementById("chosen");
  chosen.querySelector("strong").textContent = found.dataset.name;
  chosen.querySelector(".aside").textContent = others === 1 ? "1 tie" : `${others} ties`;
  chosen.querySelector("[data-to=page]").href = found.dataset.page;
  chosen.querySelector("[data-to=own]").href = found.href.baseVal;
  chosen.hidden = false;
};

const letGo = () => {
  if (!drawing().dataset.chosen) return;
  drawing().dataset.chosen = "";
  for (const each of [...ties(), ...drawing().querySelectorAll(".dot")]) each.classList.remove("faint");
  for (const each of drawing().querySelectorAll(".dot[aria-current]")) each.ariaCurrent = null;
  document.getElementById("chosen").hidden = true;
};

// --- Find, and leave out --------------------------------------------------------------------------------------------

const marked = (words) => {
  const wanted = words.trim().toLocaleLowerCase();
  const found = dots().filter((each) => wanted && each.dataset.name.toLocaleLowerCase().includes(wanted));
  for (const each of drawing().querySelectorAll(".dot")) each.classList.toggle("found", found.includes(each));
  return found;
};

document.addEventListener("keydown", (event) => {
  if (event.target.id !== "find-member" || event.key !== "Enter" || !drawing()) return;
  event.preventDefault();
  const [found] = marked(event.target.value);
  if (!found) return;
  const { x, y } = placeOf(found);
  look(view);
  const width = whole.width / 2;
  look({ x: x - width / 2, y: y - (width * whole.height) / whole.width / 2, width });
  if (drawing().dataset.chosen !== found.dataset.member) choose(found.dataset.member);
  found.focus({ preventScroll: true });
});

const shown = (element, on) => (on ? element.removeAttribute("display") : element.setAttribute("display", "none"));

const leaveOut = (least) => {
  const tied = new Set();
  let count = 0;
  for (const tie of drawing().querySelectorAll(".tie")) {
    const on = Number(tie.dataset.strength) >= least;
    shown(tie, on);
    if (on) tied.add(tie.dataset.one).add(tie.dataset.other);
  }
  for (const row of document.querySelectorAll("#ties tbody tr")) {
    row.hidden = Number(row.dataset.strength) < least;
    count += !row.hidden;
  }
  for (const each of drawing().querySelectorAll(".dot")) shown(each, tied.has(each.dataset.member));
  document.getElementById("shown").textContent = count;
  document.getElementById("none-shown").hidden = count > 0;
};

const dayBefore = (days) =>
  days ? new Date(Date.now() - days * 86_400_000).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" }) : "today";

document.addEventListener("input", (event) => {
  if (event.target.id === "find-member" && drawing()) marked(event.target.value);
  if (event.target.id === "back") document.getElementById("back-said").textContent = dayBefore(-Number(event.target.value));
  if (event.target.id !== "least") return;
  const least = Number(event.target.value);
  document.getElementById("least-said").textContent = `${Math.round(least * 100)} %`;
  if (drawing()) leaveOut(least);
});

// Another time of the same graph: look at the same part of it.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target?.id !== "graph" || !drawing()) return;
  if (view) look(view);
  marked(document.getElementById("find-member").value);
});
