"use strict";
// Shows the operations that have all the words of the field, and opens the one that the address names.
const find = document.getElementById("find");
const operations = [...document.querySelectorAll(".operation")];
const sections = [...document.querySelectorAll(".tag")];
function show() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const operation of operations) {
    operation.hidden = !words.every((word) => operation.dataset.find.includes(word));
    shown += operation.hidden ? 0 : 1;
  }
  for (const section of sections) {
    section.hidden = !section.querySelector(".operation:not([hidden])");
  }
  document.getElementById("none").hidden = shown > 0;
}
function open() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
}
find.addEventListener("input", show);
window.addEventListener("hashchange", open);
open();
