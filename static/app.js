// What the pages gain with a script; each of them works without it.
"use strict";

const dialog = () => document.getElementById("dialog");

// A fragment that was swapped into the dialog is a question: show it.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target === dialog()) dialog().showModal();
});

// "Keep it" is a link back; in the dialog it only closes.
document.addEventListener("click", (event) => {
  if (event.target.closest("#dialog [data-close]") || event.target === dialog()) {
    event.preventDefault();
    dialog().close();
  }
});

// Days and times in the reader's own zone, the exact one on hover; "3 hours ago" is the same everywhere.
const SAID = {
  day: { day: "numeric", month: "long", year: "numeric" },
  clock: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
};
const localTimes = (root) => {
  for (const time of root.querySelectorAll("time[datetime*='T']")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.title = moment.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "short" });
    const said = SAID[time.dataset.said];
    if (said) time.textContent = moment.toLocaleString("en-GB", said);
  }
  for (const zone of root.querySelectorAll("[data-zone]")) zone.hidden = true;
};
document.addEventListener("htmx:load", (event) => localTimes(event.detail.elt));
document.addEventListener("DOMContentLoaded", () => localTimes(document));

// "/" goes to the page's search, as in other tools.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, textarea, select, dialog")) return;
  const search = document.querySelector("input[type=search]");
  if (search) {
    event.preventDefault();
    search.focus();
  }
});

// A search that failed says so instead of leaving the old answer standing.
for (const name of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(name, () => {
    document.getElementById("trouble").hidden = false;
  });
}
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.isError) document.getElementById("trouble").hidden = true;
});
