// The description as participants will see it, a moment after the last key. Without this script there is a button.
"use strict";
(() => {
  const text = document.querySelector("textarea[data-preview]");
  const place = document.getElementById("description-preview");
  if (!text || !place) return;
  const form = text.form;
  let waiting = 0;
  let number = 0;
  text.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(show, 400); });

  async function show() {
    const mine = ++number;
    const body = new URLSearchParams({ description: text.value, csrf: form.elements.csrf.value, title: form.elements.title.value, images: text.dataset.images || "" });
    const answer = await fetch(text.dataset.preview, { method: "POST", body });
    if (!answer.ok || mine !== number) return;
    place.innerHTML = await answer.text();
  }
})();
