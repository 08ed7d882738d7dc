// Keeps a part of a page fresh: asks every 15 seconds while the page is seen, and mostly hears "not modified".
"use strict";
(() => {
  const EVERY = 15000;
  const holder = document.querySelector("[data-refresh]");
  if (!holder) return;
  let tag = holder.dataset.tag;

  async function ask() {
    // Do not take the text field away from somebody who is typing in it.
    if (document.hidden || holder.contains(document.activeElement)) return;
    const answer = await fetch(holder.dataset.refresh, { headers: { "If-None-Match": tag }, cache: "no-store" });
    if (answer.status !== 200) return;
    tag = answer.headers.get("ETag");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(holder.dataset.part);
    const old = document.getElementById(holder.dataset.part);
    if (!fresh || !old) return;
    old.replaceWith(fresh);
    fresh.dispatchEvent(new Event("ladderboard:changed", { bubbles: true }));
  }

  const safely = () => ask().catch(() => {});
  setInterval(safely, EVERY);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) safely(); });
})();
