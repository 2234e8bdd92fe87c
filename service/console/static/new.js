// A new release, from the file to the job: the file stays in the browser until it is uploaded, and the policy is a draft
// with versions that the service checks after every change.
import { call, upload } from "./api.js";
import { renderColumns } from "./columns.js";
import { byId, focusOn, later, make } from "./dom.js";
import { Draft } from "./draft.js";
import { guessPolicy, guessRole, valuesOf } from "./guesses.js";
import { addGuarantee, fillAdding, inWords, renderGuarantees, renderMethods } from "./guarantees.js";
import { choicesTable } from "./choices.js";
import { lookAt, table } from "./preview.js";
import { showProgram } from "./program.js";

const start = JSON.parse(byId("start").textContent);
const state = { file: null, sample: null, dataset: start.dataset, advice: null, draft: null, catalogue: null, faults: new Map() };
const KS = [2, 3, 5, 10, 20];

byId("wizard").hidden = false;
byId("file").addEventListener("change", () => choose(byId("file").files[0]));
for (const [name, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) byId("drop").addEventListener(name, (event) => drag(event, over));
byId("kind").addEventListener("change", kindChanged);
byId("upload").addEventListener("click", send);
byId("undo").addEventListener("click", () => turn("undo", "redo"));
byId("redo").addEventListener("click", () => turn("redo", "undo"));
byId("add").addEventListener("click", add);
byId("method").addEventListener("change", () => state.draft.change((policy) => { policy.method = { name: byId("method").value }; }));
byId("unit").addEventListener("change", () => state.draft.change((policy) => { if (byId("unit").value) policy.privacy_unit = byId("unit").value; else delete policy.privacy_unit; }));
byId("max_suppressed").addEventListener("change", setGate);
byId("try").addEventListener("click", (event) => run(event, { trial: true }));
byId("release").addEventListener("click", (event) => run(event, {}));
byId("compare").addEventListener("click", compare);
if (state.dataset) prepare();

function drag(event, over) {
  event.preventDefault();
  byId("drop").toggleAttribute("data-over", over);
  if (event.type === "drop") choose(event.dataTransfer.files[0]);
}

async function choose(file) {
  if (!file) return;
  state.file = file;
  byId("chosen").textContent = `${file.name} (${(file.size / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} kB)`;
  state.sample = await lookAt(file);
  byId("name").value = state.sample.name;
  byId("kind").value = state.sample.kind;
  const note = make("p", { class: state.sample.columns.length ? "small muted preview__note" : "empty" }, state.sample.note ?? (state.sample.columns.length ? "" : "Nothing to show."));
  byId("preview").replaceChildren(...(state.sample.columns.length ? [table(state.sample)] : []), ...(note.textContent ? [note] : []));
  byId("local").hidden = false;
  kindChanged();
}

function kindChanged() {
  byId("window-field").hidden = byId("kind").value !== "temporal_graph";
  byId("directed-field").hidden = byId("kind").value === "table";
}

async function send() {
  const metadata = { name: byId("name").value.trim() || state.sample.name, kind: byId("kind").value };
  if (metadata.kind === "temporal_graph") metadata.window = byId("window").value;
  if (metadata.kind !== "table" && byId("directed").value) metadata.directed = true;
  const form = new FormData();
  form.append("metadata", new Blob([JSON.stringify(metadata)], { type: "application/json" }));
  form.append("file", state.file, state.file.name);
  byId("upload").disabled = true;
  byId("file-error").textContent = "";
  byId("upload-progress").hidden = false;
  try {
    state.dataset = await upload("/v1/datasets", form, (share) => {
      byId("upload-progress").value = share ?? 0;
      byId("upload-status").textContent = share === 1 ? "Sent; it is being checked and encrypted." : "Sending.";
    });
    history.replaceState(null, "", `/new?dataset=${state.dataset.id}`);
    prepare();
  } catch (problem) {
    byId("file-error").textContent = said(problem);
    const known = problem.body.dataset_id;
    if (known) byId("file-error").append(" ", make("a", { href: `/new?dataset=${encodeURIComponent(known)}` }, "Continue with that dataset"));
    byId("upload").disabled = false;
    byId("upload-progress").hidden = true;
    byId("upload-status").textContent = "";
    focusOn(byId("file-error"));
  }
}

async function prepare() {
  byId("step-file").hidden = true;
  byId("step-policy").hidden = false;
  byId("upload-program").hidden = true;
  mark("roles");
  byId("advice").replaceChildren(make("p", { class: "muted" }, "The service is analyzing the columns."));
  const [methods, guarantees, advised] = await Promise.all([call("GET", "/v1/methods"), call("GET", "/v1/guarantees"), advice()]);
  state.catalogue = { methods: methods.items, guarantees: guarantees.items };
  state.advice = advised;
  const policy = start.policy ?? advised?.policy ?? guessPolicy(state.dataset, state.sample);
  state.draft = new Draft(state.dataset.id, complete(policy), render);
  fillAdding(byId("add-guarantee"), state, start.names);
  showAdvice();
  render();
  byId("program").hidden = false;
  byId("roles-title").focus();
}

// The advice of the service once it is available; for a dataset without advice, guesses that the user confirms.
async function advice() {
  for (let tries = 0; tries < 240; tries += 1) {
    state.dataset = await call("GET", `/v1/datasets/${state.dataset.id}`);
    if (state.dataset.status === "invalid") return null;
    try {
      const answer = await call("GET", `/v1/datasets/${state.dataset.id}/advice`);
      if (answer.policy) return answer;
    } catch (problem) {
      if (problem.status !== 404 && problem.status !== 409) throw problem;
      if (state.dataset.status === "ready") return guessed();
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return guessed();
}

function guessed() {
  const columns = (state.dataset.columns ?? []).map(({ name, type }) => ({ name, type, confidence: 0.5, warnings: [], ...guessRole(name, valuesOf(state.sample, name)) }));
  return { columns, policy: null, warnings: [] };
}

// A policy as the page edits it: every member that has fields on the page exists.
function complete(policy) {
  return { attributes: {}, guarantees: [], ...policy };
}

function showAdvice() {
  const problem = state.dataset.problem;
  const notes = problem ? [problem.title, problem.detail] : state.advice?.warnings ?? [];
  byId("advice").replaceChildren(...notes.filter(Boolean).map((text) => make("div", { class: `alert alert--${problem ? "bad" : "warn"}` }, make("span", { "aria-hidden": "true" }, "!"), make("div", {}, text))));
  byId("choices-card").hidden = !state.advice?.choices?.length;
  byId("choices").replaceChildren(choicesTable(state.advice?.choices ?? [], (k) => state.draft.change((policy) => {
    for (const each of policy.guarantees) if ("k" in each) each.k = k;
  })));
  byId("no-columns").hidden = Object.keys(state.draft.policy.attributes).length > 0;
}

function render() {
  const { draft } = state;
  const { policy } = draft;
  byId("undo").disabled = !draft.canUndo;
  byId("redo").disabled = !draft.canRedo;
  renderColumns(byId("columns"), state);
  renderGuarantees(byId("guarantees"), { ...state, said: start.said });
  renderMethods(byId("method"), byId("method-hint"), state);
  byId("unit-field").hidden = policy.kind !== "table";
  byId("gate-field").hidden = policy.kind !== "table";
  byId("unit").replaceChildren(...["", ...Object.keys(policy.attributes)].map((name) => make("option", { value: name, selected: name === (policy.privacy_unit ?? "") }, name || "every row is a different person")));
  byId("max_suppressed").value = policy.gate?.max_suppressed === undefined || policy.gate?.max_suppressed === null ? "" : String(+(100 * policy.gate.max_suppressed).toFixed(4));
  byId("compare").disabled = !policy.guarantees.some((each) => "k" in each);
  byId("words").replaceChildren(...inWords(policy, start.said).map((text) => make("p", {}, text)));
  showProgram(state.dataset, policy);
  check();
}

// Moves to another version of the draft. A disabled button cannot keep the focus: it moves to the other one.
function turn(way, back) {
  state.draft[way]();
  if (byId(way).disabled) byId(back).focus();
}

function add() {
  addGuarantee(state.draft, state.catalogue, byId("add-guarantee").value);
  byId("guarantees").lastElementChild.querySelector("input, select, button")?.focus();
}

function setGate() {
  const value = byId("max_suppressed").value;
  state.draft.change((policy) => {
    policy.gate = { ...(policy.gate ?? {}) };
    if (value === "") delete policy.gate.max_suppressed; else policy.gate.max_suppressed = Number(value) / 100;
  });
}

let asked = 0;
const check = later(300, async () => {
  const number = asked += 1;
  let verdict;
  try {
    const answer = await call("POST", "/v1/policies/validate", { policy: state.draft.policy, dataset_id: state.dataset.id });
    verdict = { fine: true, lines: answer.warnings, forecast: answer.forecast };
  } catch (problem) {
    verdict = { fine: false, lines: problem.errors.length ? problem.errors : [{ pointer: "", detail: problem.message }] };
  }
  if (number === asked) showVerdict(verdict);
});

function showVerdict({ fine, lines, forecast }) {
  const faults = new Map();
  if (!fine) for (const { pointer, detail } of lines) {
    const name = /^\/policy\/attributes\/([^/]+)/.exec(pointer ?? "")?.[1];
    if (name !== undefined) faults.set(name.replaceAll("~1", "/").replaceAll("~0", "~"), detail);
  }
  state.faults = faults;
  renderColumns(byId("columns"), state);
  const texts = lines.map((each) => (typeof each === "string" ? each : [each.pointer?.replace(/^\/policy/, ""), each.detail].filter(Boolean).join(": ")));
  const expected = Object.entries(forecast ?? {}).map(([name, value]) => `${name.replaceAll("_", " ")}: ${typeof value === "number" ? +value.toFixed(4) : JSON.stringify(value)}`);
  byId("verdict").replaceChildren(
    make("p", { class: "row" }, make("span", { class: `badge badge--${fine ? "good" : "bad"}`, id: "valid" }, fine ? "can be submitted" : "cannot be submitted yet")),
    make("ul", { class: "small" }, ...texts.map((text) => make("li", {}, text)), ...expected.map((text) => make("li", {}, text))));
  for (const name of ["try", "release"]) byId(name).disabled = !fine;
  byId("compare").disabled = !fine || !state.draft.policy.guarantees.some((each) => "k" in each);
  mark(fine ? "run" : "promise");
}

function mark(step) {
  const items = [...document.querySelectorAll("#steps li")];
  const now = items.findIndex((item) => item.dataset.step === step);
  items.forEach((item, place) => {
    if (place < now) item.dataset.state = "done"; else delete item.dataset.state;
    if (place === now) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
  });
}

async function run(event, more) {
  await submit(event.currentTarget, "/v1/jobs", { dataset_id: state.dataset.id, policy: state.draft.policy, ...more });
}

async function compare(event) {
  const { policy } = state.draft;
  const place = policy.guarantees.findIndex((each) => "k" in each);
  const values = [...new Set([...KS, policy.guarantees[place].k])].sort((a, b) => a - b);
  await submit(event.currentTarget, "/v1/comparisons", { dataset_id: state.dataset.id, policy, vary: { [`/guarantees/${place}/k`]: values } });
}

async function submit(button, path, body) {
  button.disabled = true;
  byId("run-error").textContent = "";
  try {
    const job = await call("POST", path, body);
    location.assign(`/jobs/${job.id}`);
  } catch (problem) {
    byId("run-error").textContent = said(problem);
    button.disabled = false;
    focusOn(byId("run-error"));
  }
}

function said(problem) {
  return [problem.message, ...(problem.errors ?? []).map((each) => [each.row ? `row ${each.row}` : "", each.detail].filter(Boolean).join(": "))].join(" · ");
}
