// Times in the reader's own zone, and the countdown. Without this script the competition's zone stands there.
"use strict";
(() => {
  // Written as the server writes them, which has written the days on charts: one format on a page, whatever the locale.
  // British English knows the names of zones, American English writes Sep and not Sept.
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const long = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZoneName: "short", ...clock });
  const short = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", ...clock });

  function write(at, isShort) {
    const of = Object.fromEntries((isShort ? short : long).formatToParts(at).map((part) => [part.type, part.value]));
    const time = `${of.hour}:${of.minute}`;
    return isShort ? `${of.day} ${of.month} ${time}` : `${of.day} ${of.month} ${of.year}, ${time} ${of.timeZoneName}`;
  }

  function localise(root) {
    for (const element of root.querySelectorAll("time[datetime]:not([data-local])")) {
      const at = new Date(element.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      if (!element.title) element.title = element.textContent;
      element.textContent = write(at, "short" in element.dataset);
      element.dataset.local = "";
    }
  }

  function left(seconds) {
    const days = Math.floor(seconds / 86400);
    const rest = new Date((seconds % 86400) * 1000).toISOString().slice(11, 19);
    const unit = new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: "day", unitDisplay: "long" });
    return days > 0 ? unit.format(days) + " " + rest : rest;
  }

  function tick() {
    for (const element of document.querySelectorAll("[data-until]")) {
      const seconds = Math.max(0, Math.round((new Date(element.dataset.until) - Date.now()) / 1000));
      element.textContent = left(seconds);
    }
  }

  for (const input of document.querySelectorAll("input[data-zone]")) {
    input.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  }
  localise(document);
  document.addEventListener("ladderboard:changed", (event) => localise(event.target));
  if (document.querySelector("[data-until]")) {
    tick();
    setInterval(tick, 1000);
  }
})();
