// Forms that are calls of the API: data-method, data-path, and what to do with the answer.
import { call } from "./api.js";

for (const form of document.querySelectorAll("form[data-path]")) form.addEventListener("submit", send);

async function send(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const answer = form.querySelector(".form-answer");
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) return;
  const button = form.querySelector("button");
  button.disabled = true;
  answer.replaceChildren();
  try {
    const given = await call(form.dataset.method, form.dataset.path, bodyOf(form));
    finish(form, answer, given);
  } catch (problem) {
    answer.classList.add("error");
    answer.textContent = [problem.message, ...(problem.errors ?? []).map((each) => `${each.pointer}: ${each.detail}`)].join(" · ");
  }
  button.disabled = false;
}

// Fields with a dot in their name are members of an object; empty ones are left out.
function bodyOf(form) {
  if (form.dataset.method === "DELETE") return undefined;
  const body = {};
  for (const field of form.elements) {
    if (!field.name || (field.type === "radio" && !field.checked) || field.value.trim() === "") continue;
    const steps = field.name.split(".");
    const last = steps.pop();
    const place = steps.reduce((object, step) => (object[step] ??= {}), body);
    place[last] = "number" in field.dataset ? Number(field.value) : "list" in field.dataset ? words(field.value) : field.value;
  }
  return body;
}

function words(text) {
  return text.split(",").map((word) => word.trim()).filter(Boolean);
}

function finish(form, answer, given) {
  if (form.dataset.show) {
    showOnce(answer, given[form.dataset.show]);
    return;
  }
  const next = form.dataset.next?.replace("{id}", given?.id ?? "");
  if (next) location.assign(next); else location.reload();
}

// A secret that is shown once: beside it, the way to copy it.
function showOnce(answer, secret) {
  const box = document.createElement("div");
  box.className = "alert alert--good";
  const text = document.createElement("div");
  const code = document.createElement("code");
  code.textContent = secret;
  text.append("Copy it now; it is not shown again: ", code);
  const icon = document.createElement("span");
  icon.textContent = "✓";
  box.append(icon, text);
  answer.replaceChildren(box);
}
