// Keys of the review page: j and k go through the queue, a and r open the dialog of a verdict. Nothing is decided by a
// key alone.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const page = document.querySelector("[data-review]");
  if (!page) return;

  const open = (id) => {
    const dialog = document.getElementById(id);
    if (dialog && !dialog.open) dialog.showModal();
  };
  const follow = (rel) => page.querySelector(`a[rel=${rel}]`)?.click();
  const acts = {
    j: () => follow("next"),
    k: () => follow("prev"),
    a: () => open("approve-dialog"),
    r: () => open("reject-dialog"),
  };

  document.addEventListener("keydown", (event) => {
    // A dialog that was closed keeps the focus until the page is drawn anew: nobody is typing in it.
    const gone = event.target.closest("dialog:not([open])");
    const typing = !gone && event.target.closest("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const act = acts[event.key];
    if (act) {
      event.preventDefault(); // else the key is typed into the dialog that it opened
      act();
    }
  });

  // Browsers without invoker commands.
  if (!("commandForElement" in HTMLButtonElement.prototype)) {
    document.addEventListener("click", (event) => {
      const button = event.target.closest("button[commandfor]");
      if (!button) return;
      if (button.getAttribute("command") === "close") document.getElementById(button.getAttribute("commandfor")).close();
      else open(button.getAttribute("commandfor"));
    });
  }

  document.querySelector("dialog[data-open]")?.showModal();
});
