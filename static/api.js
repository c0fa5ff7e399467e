// Swagger's dark looks hang on a class: it follows the choice made on the dashboard, else the system.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => {
  const { theme } = document.documentElement.dataset;
  document.documentElement.classList.toggle("dark-mode", theme === "dark" || (theme !== "light" && dark.matches));
};
paint();
dark.addEventListener("change", paint);
