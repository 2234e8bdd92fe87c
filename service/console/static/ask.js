// Questions: the expected accuracy, then the answer; and the steward's declarations.
import { call } from "./api.js";
import { byId, focusOn, make } from "./dom.js";
import { leave } from "./notice.js";

const MOST_LOOKS = 30;
byId("question")?.addEventListener("submit", ask);
byId("declarations")?.addEventListener("submit", declare);

async function ask(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const free = event.submitter?.value === "accuracy";
  await trying(form, async (says) => {
    const question = questionOf(form);
    if (free) {
      const rows = byId("rows").value.trim();
      showAccuracy(await call("POST", form.dataset.path, { ...question, accuracy: true, ...(rows ? { rows: Number(rows) } : {}) }));
      return;
    }
    let query = await call("POST", form.dataset.path, question);
    says("Charged. Waiting for the answer …");
    for (let look = 0; look < MOST_LOOKS && ["queued", "running"].includes(query.status); look++) {
      query = await call("GET", `/v1/queries/${query.id}?wait=20`);
    }
    says("");
    showAnswer(query);
  });
}

async function declare(event) {
  event.preventDefault();
  const form = event.currentTarget;
  await trying(form, async () => {
    await call("PUT", form.dataset.path, JSON.parse(byId("declared").value));
    leave("The declarations are stored.");
    location.reload();
  });
}

async function trying(form, act) {
  const answer = form.querySelector(".form-answer");
  const buttons = [...form.querySelectorAll("button")];
  const says = (text) => { answer.textContent = text; };
  answer.classList.remove("error");
  says("");
  for (const button of buttons) button.disabled = true;
  try {
    await act(says);
  } catch (problem) {
    answer.classList.add("error");
    says([problem.message, ...(problem.errors ?? []).map((each) => `${each.pointer}: ${each.detail}`)].join(" · "));
    focusOn(answer);
  }
  for (const button of buttons) button.disabled = false;
}

function questionOf(form) {
  const written = byId("json").value.trim();
  if (written) return JSON.parse(written);
  const kind = byId("kind").value;
  const question = { select: [{ [kind]: selected(kind) }], [form.dataset.loss]: Number(byId("loss").value) };
  if (byId("group").value) question.group_by = [byId("group").value];
  if (byId("where").value) question.where = [{ column: byId("where").value, op: byId("op").value, value: plain(byId("value").value) }];
  return question;
}

function selected(kind) {
  if (kind === "count") return {};
  const column = byId("column").value;
  const setting = byId("setting").value;
  if (kind === "quantile") return { column, at: Number(setting || "0.5") };
  if (kind === "histogram") return { column, edges: setting.split(",").map(plain) };
  return column;
}

// A number if it is written as one, else the text.
function plain(text) {
  const trimmed = text.trim();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

function showAccuracy(found) {
  const rows = found.accuracy.map((each) => [
    Object.keys(each.select)[0], each.plus_minus === null ? "depends on the number of rows: enter one to assume" : `± ${shown(each.plus_minus)} ${each.unit}`,
  ]);
  const cost = Object.entries(found.cost).filter(([, loss]) => loss).map(([name, loss]) => `${name} ${loss}`).join(", ");
  byId("answer").replaceChildren(
    table(["Asked", "Largest error in 95 of 100 draws"], rows),
    make("p", {}, `It would cost ${cost}. ${shown(found.remaining)} is left. Nothing was charged.`),
  );
  focusOn(byId("answer"));
}

function showAnswer(query) {
  if (query.status !== "done") {
    byId("answer").replaceChildren(make("p", { class: "error" }, query.error?.detail ?? "The question could not be answered. The charge is not refunded."));
    focusOn(byId("answer"));
    return;
  }
  const rows = query.answers.flatMap((answer) => answer.cells.map((cell) => [
    Object.keys(answer.select)[0], Object.values(cell.group).join(", "), cell.bin ? cell.bin.map(shown).join(" to ") : "",
    shown(cell.value), cell.interval95.map(shown).join(" to "),
  ]));
  byId("remaining").textContent = shown(query.remaining);
  // A column that is empty in all rows is left out.
  const heads = ["Asked", "Group", "Bin", "Value", "Contains the truth in 95 of 100 draws"];
  const kept = heads.map((_, at) => rows.some((row) => row[at] !== ""));
  byId("answer").replaceChildren(
    table(heads.filter((_, at) => kept[at]), rows.map((row) => row.filter((_, at) => kept[at]))),
    make("p", {}, `${shown(query.remaining)} is left. The same question again gives the same answer, free of charge.`),
  );
  focusOn(byId("answer"));
}

function shown(value) {
  return typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value);
}

function table(heads, rows) {
  return make("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": "Answer" }, make("table", {},
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell)))))));
}
