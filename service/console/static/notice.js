// A notice of a completed action, shown on the next page: kept for this tab until it is shown.
import { byId, focusOn, make } from "./dom.js";

const KEY = "antifaz-notice";

export function leave(text) {
  sessionStorage.setItem(KEY, text);
}

export function showLeft() {
  const text = sessionStorage.getItem(KEY);
  if (text === null) return;
  sessionStorage.removeItem(KEY);
  const place = text ? make("div", { class: "alert alert--good notice", role: "status" }, make("span", { "aria-hidden": "true" }, "✓"), make("div", {}, make("p", {}, text)))
    : document.querySelector("h1");
  if (text) byId("main").prepend(place);
  focusOn(place);
}
