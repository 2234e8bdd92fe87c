// Forms that call the API: data-method, data-path, and what to do with the response.
import { call } from "./api.js";
import { focusOn, make } from "./dom.js";
import { leave } from "./notice.js";

document.addEventListener("submit", (event) => {
  if (event.target.matches("form[data-method]")) send(event);
});

async function send(event) {
  event.preventDefault();
  const form = event.target;
  const answer = form.querySelector(".form-answer");
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) return;
  const button = form.querySelector("button");
  button.disabled = true;
  answer.classList.remove("error");
  answer.replaceChildren();
  for (const field of form.elements) field.removeAttribute("aria-invalid");
  try {
    finish(form, answer, await call(form.dataset.method, form.dataset.path, bodyOf(form)));
  } catch (problem) {
    refuse(form, answer, problem);
  }
  button.disabled = false;
}

// Fields with a dot in their name are members of an object; empty ones are left out.
function bodyOf(form) {
  if (form.dataset.method === "DELETE") return undefined;
  const body = {};
  for (const field of form.elements) {
    const value = field.name ? valueOf(field) : undefined;
    if (value === undefined) continue;
    const steps = field.name.split(".");
    const last = steps.pop();
    const place = steps.reduce((object, step) => (object[step] ??= {}), body);
    if ("many" in field.dataset) (place[last] ??= []).push(value); else place[last] = value;
  }
  return body;
}

function valueOf(field) {
  const { dataset, type, value } = field;
  if ("boolean" in dataset) return type === "checkbox" ? field.checked : value === "true";
  if (((type === "radio" || type === "checkbox") && !field.checked) || value.trim() === "") return undefined;
  if ("number" in dataset) return Number(value);
  return "list" in dataset ? value.split(",").map((word) => word.trim()).filter(Boolean) : value;
}

// Shows the faults and marks their fields; the focus moves there.
function refuse(form, answer, problem) {
  const faults = problem.errors ?? [];
  for (const { pointer } of faults) {
    const name = (pointer ?? "").slice(1).replaceAll("/", ".");
    const field = [...form.elements].find((each) => each.name && (each.name === name || name.startsWith(`${each.name}.`)));
    field?.setAttribute("aria-invalid", "true");
  }
  answer.classList.add("error");
  answer.textContent = [problem.message, ...faults.map((each) => `${each.pointer}: ${each.detail}`)].join(" · ");
  focusOn(answer);
}

function finish(form, answer, given) {
  const next = form.dataset.next?.replace("{id}", given?.id ?? "");
  if (form.dataset.show) {
    showOnce(answer, given[form.dataset.show], next);
    form.reset();
    return;
  }
  leave(form.dataset.done ?? "");
  if (next) location.assign(next); else location.reload();
}

// A secret that is shown once, and a link to the next page.
function showOnce(answer, secret, next) {
  answer.replaceChildren(make("div", { class: "alert alert--good" }, make("span", { "aria-hidden": "true" }, "✓"),
    make("div", {}, make("p", {}, "Copy it now; it is not shown again: ", make("code", {}, secret)),
      next ? make("p", {}, make("a", { href: next }, "Continue")) : null)));
  focusOn(answer);
}
