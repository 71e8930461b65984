// Sets the theme before the first paint, so that nothing flashes.
(() => {
  let wish = "system";
  try {
    wish = localStorage.getItem("orth.theme") ?? wish;
  } catch {
    // A browser that keeps nothing follows its system.
  }
  const dark = wish === "dark" || (wish !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
