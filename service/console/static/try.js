// Example requests of the documentation, sent from the page with its session; the response is shown as text.
import { sessionHeader } from "./api.js";
import { make } from "./dom.js";

const MOST = 20_000;
const PATIENCE = 5_000;
const TEXT = /json|text|xml|csv|svg|turtle/;

for (const form of document.querySelectorAll("form.try")) {
  form.hidden = false;
  form.addEventListener("submit", send);
}

async function send(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const { method } = form.dataset;
  if (method !== "GET" && !confirm(`${method} ${form.dataset.path} may change something. Send it?`)) return;
  const button = form.querySelector("button");
  const place = form.querySelector(".try__answer");
  button.disabled = true;
  place.replaceChildren(make("p", { class: "muted" }, "Sent; waiting for the response."));
  try {
    const target = address(form);
    const answer = await fetch(target, { method, headers: headers(form), body: body(form), credentials: "same-origin" });
    await show(place, answer, method, target);
  } catch (error) {
    place.replaceChildren(make("p", { class: "error" }, `No response: ${error.message}`));
  }
  button.disabled = false;
}

function given(form, where) {
  return [...form.querySelectorAll(`[data-in="${where}"]`)].filter((field) => field.value !== "");
}

function address(form) {
  const path = given(form, "path").reduce((text, field) => text.replace(`{${field.name}}`, encodeURIComponent(field.value)), form.dataset.path);
  const query = new URLSearchParams(given(form, "query").map((field) => [field.name, field.value]));
  return query.size ? `${path}?${query}` : path;
}

function headers(form) {
  const own = Object.fromEntries(given(form, "header").map((field) => [field.name, field.value]));
  const media = form.querySelector("[data-body]")?.dataset.body;
  return { ...sessionHeader, ...own, ...(media ? { "Content-Type": media } : {}) };
}

// Undefined if there is no body: a GET must have none.
function body(form) {
  const parts = [...form.querySelectorAll("[data-part]")].filter((field) => field.value.trim() !== "");
  if (!parts.length) return form.querySelector("[data-body]")?.value;
  const content = new FormData();
  for (const field of parts) {
    const bytes = new Blob([field.value], { type: field.dataset.media });
    if (field.dataset.name) content.append(field.dataset.part, bytes, field.dataset.name);
    else content.append(field.dataset.part, bytes);
  }
  return content;
}

async function show(place, answer, method, target) {
  const type = answer.headers.get("content-type") ?? "";
  const status = make("p", { class: "row" },
    make("span", { class: `badge badge--${answer.ok ? "good" : "bad"}` }, `${answer.status} ${answer.statusText}`), make("span", { class: "muted small" }, type));
  const location = answer.headers.get("location");
  const where = location && make("p", { class: "small mono" }, `Location: ${location}`);
  const lines = TEXT.test(type) ? make("pre", { tabindex: "0" }, make("code", {}, layOut(await beginning(answer), type))) : null;
  const file = !lines && answer.ok && method === "GET" ? make("p", {}, make("a", { href: target, download: "" }, "Download")) : null;
  place.replaceChildren(...[status, where, lines, file].filter(Boolean));
}

// The beginning of a response: an endless (events) or large one is truncated.
async function beginning(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const late = new Promise((resolve) => { setTimeout(() => resolve({ done: true }), PATIENCE); });
  let text = "";
  while (text.length < MOST) {
    const { value, done } = await Promise.race([reader.read(), late]);
    if (done) break;
    text += value;
  }
  reader.cancel();
  return text.length < MOST ? text : `${text.slice(0, MOST)}\n…`;
}

function layOut(text, type) {
  if (!type.includes("json")) return text;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}
