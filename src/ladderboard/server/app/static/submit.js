// Drag and drop, and progress while a large file travels. Without this script the form is sent as any other.
"use strict";
(() => {
  function attach() {
    const form = document.querySelector("form[data-upload]");
    if (!form) return;
    const drop = form.querySelector("[data-drop]");
    const input = form.querySelector("input[type=file]");
    const chosen = form.querySelector("[data-chosen]");
    const size = new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: "kilobyte" });
    const show = () => {
      const file = input.files[0];
      chosen.textContent = file ? file.name + " · " + size.format(Math.max(1, Math.round(file.size / 1024))) : "";
    };
    form.querySelector("[data-drop-hint]").hidden = false;
    input.addEventListener("change", show);
    for (const name of ["dragenter", "dragover"]) {
      drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
    }
    for (const name of ["dragleave", "drop"]) {
      drop.addEventListener(name, () => drop.classList.remove("over"));
    }
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; show(); }
    });
    form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  }

  function send(form) {
    const upload = form.querySelector("[data-progress]");
    const bar = upload.querySelector("progress");
    const status = upload.querySelector("[data-status]");
    const button = form.querySelector("button.button");
    const request = new XMLHttpRequest();
    const broken = () => { button.disabled = false; bar.value = 0; status.textContent = status.dataset.failed; };
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "text/html");
    upload.classList.add("running");
    button.disabled = true;
    status.textContent = status.dataset.sending;
    request.upload.addEventListener("progress", (step) => {
      if (step.lengthComputable) bar.value = step.loaded / step.total;
    });
    request.upload.addEventListener("load", () => { bar.removeAttribute("value"); status.textContent = status.dataset.scoring; });
    request.addEventListener("error", broken);
    request.addEventListener("load", () => {
      // A redirect was followed: the result has its own address.
      if (request.responseURL && new URL(request.responseURL).pathname !== new URL(form.action).pathname) {
        window.location.assign(request.responseURL);
        return;
      }
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      const main = page.getElementById("main");
      if (!main) { broken(); return; }
      document.getElementById("main").replaceWith(main);
      main.dispatchEvent(new Event("ladderboard:changed", { bubbles: true }));
      attach();
      const outcome = document.getElementById("outcome");
      if (outcome) outcome.focus();
    });
    request.send(new FormData(form));
  }

  attach();
})();
