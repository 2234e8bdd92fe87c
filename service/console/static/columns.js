// Roles of columns to choose from, each with its reason, and how a quasi-identifier is generalized.
import { call, sessionHeader, Problem } from "./api.js";
import { byId, make, words } from "./dom.js";
import { valuesOf } from "./guesses.js";

const ROLES = [
  ["identifier", "Identifier", "names a person; never released"],
  ["quasi_identifier", "Quasi-identifier", "others may know it; generalized"],
  ["sensitive", "Sensitive", "no one should learn it about a person"],
  ["insensitive", "Insensitive", "harmless; released unchanged"],
];

const WAYS = {
  sets: { label: "sets or ranges of values", apply: (attribute) => { delete attribute.hierarchy; } },
  mask: { label: "masking from the right", apply: (attribute) => { attribute.hierarchy = { kind: "mask" }; } },
  intervals: { label: "intervals of a width", apply: (attribute) => { attribute.hierarchy = { kind: "intervals", width: 5, levels: 4 }; } },
  date: { label: "day, month, year", apply: (attribute) => { attribute.hierarchy = { kind: "date" }; } },
  ages: { label: "age groups", apply: (attribute) => { attribute.hierarchy = { kind: "ages" }; } },
  postal_codes: { label: "postal codes of a country", apply: (attribute) => { attribute.hierarchy = { kind: "postal_codes", country: "ES" }; } },
  icd10: { label: "diagnoses (ICD-10 blocks and chapters)", apply: (attribute) => { attribute.hierarchy = { kind: "icd10" }; } },
  isco08: { label: "occupations (ISCO-08)", apply: (attribute) => { attribute.hierarchy = { kind: "isco08" }; } },
  countries: { label: "countries, regions, continents", apply: (attribute) => { attribute.hierarchy = { kind: "countries" }; } },
  nuts: { label: "European regions (NUTS)", apply: (attribute) => { attribute.hierarchy = { kind: "nuts" }; } },
  own: { label: "my own hierarchy (csv file)", apply: null },
};

// A reason of the service is the end of a sentence there, and a separate sentence here.
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

export function renderColumns(box, { draft, advice, dataset, sample, faults }) {
  const focused = document.activeElement?.id;
  const attributes = draft.policy.attributes ?? {};
  // In the order of the file: a stored policy has its own order.
  const order = (dataset.columns ?? []).map((each) => each.name).filter((name) => name in attributes);
  const names = [...order, ...Object.keys(attributes).filter((name) => !order.includes(name))];
  box.replaceChildren(...names.map((name, place) => [name, attributes[name], place]).map(([name, attribute, place]) =>
    column({ name, attribute, place, draft, dataset, sample, fault: faults.get(name), known: advice?.columns?.find((each) => each.name === name) })));
  if (focused) document.getElementById(focused)?.focus();
}

function column({ name, attribute, place, draft, dataset, sample, fault, known }) {
  const type = known?.type ?? dataset.columns?.find((each) => each.name === name)?.type;
  const roles = ROLES.map(([role, label, hint]) => make("label", { title: hint },
    make("input", { type: "radio", name: `role-${place}`, id: `role-${place}-${role}`, value: role, checked: attribute.role === role,
      onchange: () => draft.change((policy) => setRole(policy, name, role)) }), label));
  return make("fieldset", { class: "column", "data-role": attribute.role, "data-fault": fault ? "yes" : null },
    make("legend", { class: "visually-hidden" }, `Role of ${name}`),
    make("p", { class: "row row--between" }, make("strong", {}, name), make("span", { class: "muted small" }, type ?? "")),
    make("div", { class: "segments" }, ...roles),
    make("p", { class: "small muted" }, known ? `${sentence(known.reason)}${known.confidence <= 0.5 ? " This is a guess: please confirm." : ""}` : ""),
    ...(known?.warnings ?? []).map((text) => make("p", { class: "small" }, text)),
    attribute.role === "quasi_identifier" ? ways({ name, attribute, place, draft, dataset, sample }) : null,
    fault ? make("p", { class: "error" }, fault) : null);
}

function setRole(policy, name, role) {
  const attribute = policy.attributes[name];
  attribute.role = role;
  if (role !== "quasi_identifier") { delete attribute.hierarchy; delete attribute.recoding; }
  if (role !== "sensitive") policy.guarantees = policy.guarantees.filter((each) => each.attribute !== name);
}

function ways({ name, attribute, place, draft, dataset, sample }) {
  const kind = attribute.hierarchy?.id ? "own" : attribute.hierarchy?.kind ?? "sets";
  const options = Object.entries(WAYS).map(([way, { label }]) => make("option", { value: way, selected: way === kind }, label));
  if (!(kind in WAYS)) options.unshift(make("option", { value: kind, selected: true }, words(kind)));
  const file = make("input", { type: "file", class: "visually-hidden", "aria-label": `Hierarchy of ${name}`, tabindex: "-1",
    onchange: (event) => ownHierarchy(event, name, draft, said) });
  const said = make("p", { class: "small error", role: "status" });
  const select = make("select", { id: `way-${place}`, onchange: (event) => {
    const way = event.target.value;
    if (way === "own") file.click();
    else if (way in WAYS) draft.change((policy) => WAYS[way].apply(policy.attributes[name]));
  } }, ...options);
  return make("div", { class: "stack stack--tight" }, make("label", { for: `way-${place}`, class: "small" }, "Generalized by"), select, file,
    kind === "intervals" ? width({ name, attribute, place, draft }) : null,
    kind === "postal_codes" ? country({ name, attribute, place, draft }) : null,
    attribute.hierarchy?.kind && dataset.id ? counted({ name, attribute, place, dataset }) : null,
    levels(attribute.hierarchy, valuesOf(sample, name)), said);
}

function width({ name, attribute, place, draft }) {
  return make("p", {}, make("label", { for: `width-${place}`, class: "small" }, "Width of the smallest interval "),
    make("input", { id: `width-${place}`, type: "number", min: "0", step: "any", class: "input--short", value: String(attribute.hierarchy.width ?? ""),
      onchange: (event) => draft.change((policy) => { policy.attributes[name].hierarchy.width = Number(event.target.value); }) }));
}

function country({ name, attribute, place, draft }) {
  return make("p", {}, make("label", { for: `country-${place}`, class: "small" }, "Country (two letters) "),
    make("input", { id: `country-${place}`, class: "input--short", maxlength: "2", value: attribute.hierarchy.country ?? "",
      onchange: (event) => draft.change((policy) => { policy.attributes[name].hierarchy.country = event.target.value.trim().toUpperCase(); }) }));
}

// How many groups each level has over the stored column: a worker counts, and returns bands, never a value. The column
// may be rendered again meanwhile, so answers are stored by question.
const answers = new Map();
const COUNTING = "Counting…";

function counted({ name, attribute, place, dataset }) {
  const asked = JSON.stringify([dataset.id, name, attribute.hierarchy]);
  const say = (text) => {
    answers.set(asked, text);
    const box = byId(`groups-${place}`);
    if (box?.getAttribute("data-asked") === asked) box.textContent = text;
  };
  const button = make("button", { type: "button", id: `count-${place}`, class: "button button--small", "aria-label": `Count the groups of ${name}`,
    onclick: async () => {
      if (answers.get(asked) === COUNTING) return;
      say(COUNTING);
      try { say(await countLevels(dataset.id, name, attribute.hierarchy)); }
      catch (problem) { say([problem.message, ...(problem.errors ?? []).map((each) => each.detail)].join(" · ")); }
    } }, "Count groups");
  return make("div", {}, button, make("p", { class: "small levels", role: "status", id: `groups-${place}`, "data-asked": asked }, answers.get(asked) ?? ""));
}

async function countLevels(datasetId, column, hierarchy) {
  let found = await call("POST", "/v1/hierarchies/preview", { dataset_id: datasetId, column, hierarchy });
  for (let turn = 0; found.status === "generating" && turn < 120; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    found = await call("GET", `/v1/hierarchies/${found.id}`);
  }
  if (found.status !== "preview") return found.problem?.detail ?? "The hierarchy could not be counted.";
  return `Groups at each level: ${found.shape.groups.join(" → ")}`;
}

// How a value of the chosen file generalizes, level by level: computed here, from what the browser has read.
function levels(hierarchy, values) {
  const value = values.find(Boolean);
  if (!hierarchy || value === undefined) return null;
  const steps = { mask: masked, intervals: binned, date: dated }[hierarchy.kind]?.(value, hierarchy);
  return steps ? make("p", { class: "levels" }, "In your file: ", steps.join(" → ")) : null;
}

function masked(value) {
  const marks = [...value].slice(0, 12);
  return [...marks.keys(), marks.length].map((gone) => marks.map((mark, at) => (at >= marks.length - gone ? "*" : mark)).join("")).slice(0, 8);
}

function binned(value, { width, levels: count = 4, origin = 0 }) {
  const number = Number(value.replace(",", "."));
  if (!Number.isFinite(number) || !width) return null;
  return [value, ...Array.from({ length: count }, (_, level) => {
    const wide = width * 2 ** level;
    const low = Math.floor((number - origin) / wide) * wide + origin;
    return `[${low}, ${low + wide})`;
  }), "*"];
}

function dated(value) {
  const found = /^(\d{4})-(\d{2})-(\d{2})/.exec(value);
  return found ? [found[0], `${found[1]}-${found[2]}`, found[1], `${found[1].slice(0, 3)}0s`, "*"] : null;
}

async function ownHierarchy(event, name, draft, said) {
  const file = event.target.files[0];
  if (!file) return;
  try {
    const response = await fetch(`/v1/hierarchies?${new URLSearchParams({ name: `${name}: ${file.name}`.slice(0, 200) })}`, {
      method: "POST", headers: { ...sessionHeader, "Content-Type": "text/csv" }, body: file });
    const answer = await response.json();
    if (!response.ok) throw new Problem(answer);
    await call("GET", `/v1/hierarchies/${answer.id}`);
    draft.change((policy) => { policy.attributes[name].hierarchy = { id: answer.id }; });
  } catch (problem) {
    said.textContent = [problem.message, ...(problem.errors ?? []).map((each) => each.detail)].join(" · ");
  }
}
