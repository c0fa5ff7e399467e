// The keys of the memories page; each of them has a link or a button that does the same.
const facts = () => [...document.querySelectorAll("#facts .fact")];
const here = () => document.activeElement?.closest("#facts .fact");
const go = (fact) => fact?.querySelector(".fact-text > a").focus();

const move = (by) => {
  const all = facts();
  const at = all.indexOf(here());
  go(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]);
};
const tick = () => {
  const box = here()?.querySelector(".tick");
  if (box) box.checked = !box.checked;
};
const tickAll = () => {
  const boxes = [...document.querySelectorAll("#facts .tick")];
  const on = boxes.some((box) => !box.checked);
  for (const box of boxes) box.checked = on;
};
const help = () => {
  const keys = document.getElementById("keys");
  keys.open = !keys.open;
};
const deeds = { j: () => move(1), k: () => move(-1), x: tick, X: tickAll, "?": help };

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const deed = deeds[event.key] ?? (() => here()?.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click());
  deed();
});

// "Select the page" needs no question to the server where there is a script.
document.addEventListener("click", (event) => {
  if (!event.target.closest("#tick-page")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  tickAll();
}, true);
