// Guarantees as sentences with fields in them, and the methods that can give them.
import { make, words } from "./dom.js";

const DEFAULTS = { k: 5, l: 2, t: 0.3, alpha: 0.5, beta: 2, epsilon: 1, c: 3, minimum: 0, maximum: 0.5, radius: 1, query: "H1", distance: "equal" };

const percent = (share) => `${+(100 * share).toPrecision(3)}\u00a0%`;
const temporal = (policy, text) => (policy.kind === "temporal_graph" ? text : "");

// Values of a sentence that are not parameters, as in service/report/promises.py.
const DERIVED = {
  known: (_, policy) => named(withRole(policy, "quasi_identifier"), "quasi-identifiers"),
  sensitive: (_, policy) => named(withRole(policy, "sensitive"), "sensitive value"),
  odds: ({ epsilon }) => percent(1 / (1 + Math.exp(-(epsilon ?? 0)))),
  aside: ({ delta }) => (delta ? `, except with probability ${delta}` : ""),
  evenly: ({ variant }, _, said) => said.variants[variant ?? "distinct"] ?? "",
  times: ({ beta }) => String(+(1 + (beta ?? 0)).toPrecision(4)),
  others: ({ k }) => String((k ?? 1) - 1),
  share: ({ epsilon }) => percent(epsilon ?? 0),
  in_one: (_, policy, said) => temporal(policy, said.in_one.in_one),
  at_one: (_, policy, said) => temporal(policy, said.in_one.at_one),
  and_labels: ({ labels }, policy) => (labels === "compared" ? `, and the ${DERIVED.known(null, policy)} of all of them,` : ""),
};
const MOST_NAMED = 4;
// Guarantees that are often added to the first one.
const LIKELY = { table: "l_diversity", graph: "k_neighborhood_anonymity", temporal_graph: "degree_trajectory_anonymity" };

function named(columns, otherwise) {
  if (!columns.length) return otherwise;
  if (columns.length > MOST_NAMED + 1) return `${columns.slice(0, MOST_NAMED).join(", ")} and ${columns.length - MOST_NAMED} more columns`;
  return columns.length === 1 ? columns[0] : `${columns.slice(0, -1).join(", ")} and ${columns.at(-1)}`;
}

export function renderGuarantees(box, { draft, catalogue, said }) {
  const focused = document.activeElement?.id;
  const { guarantees } = draft.policy;
  const cards = guarantees.map((guarantee, place) => card({ guarantee, place, draft, catalogue, said }));
  box.replaceChildren(...(cards.length ? cards : [make("p", { class: "muted" }, "Nothing is promised yet.")]));
  if (focused) document.getElementById(focused)?.focus();
}

function card({ guarantee, place, draft, catalogue, said }) {
  const part = catalogue.guarantees.find((each) => each.name === guarantee.model && each.kinds.includes(draft.policy.kind));
  const properties = part?.schema.properties ?? {};
  const used = new Set();
  const pieces = (said.sentences[guarantee.model] ?? `${words(guarantee.model)} holds.`).split(/(\{\w+\})/).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    if (!name) return piece;
    if (name in DERIVED) return DERIVED[name](guarantee, draft.policy, said);
    used.add(name);
    return field({ name, place, draft, schema: properties[name] ?? {}, value: guarantee[name] });
  });
  const others = Object.keys(properties).filter((name) => name !== "model" && !used.has(name) && simple(properties[name]));
  const more = others.map((name) => make("label", { class: "small" }, `${words(name)} `, field({ name, place, draft, schema: properties[name], value: guarantee[name] })));
  return make("div", { class: "guarantee" }, make("p", {}, ...pieces), more.length ? make("p", { class: "row" }, ...more) : null,
    make("p", { class: "row row--between" }, make("span", { class: "muted small" }, part?.summary ?? ""),
      make("button", { type: "button", class: "button button--small", "aria-label": `Remove ${words(guarantee.model)}`,
        onclick: () => { draft.change((policy) => policy.guarantees.splice(place, 1)); document.getElementById("add-guarantee").focus(); } }, "Remove")));
}

const simple = (schema) => schema.enum || ["string", "integer", "number"].includes(schema.type);

function field({ name, place, draft, schema, value }) {
  const id = `guarantee-${place}-${name}`;
  const set = (given) => draft.change((policy) => { policy.guarantees[place][name] = given; });
  if (name === "attribute") return select(id, name, sensitive(draft.policy), value, set);
  if (schema.enum) return select(id, name, schema.enum, value ?? schema.default, set);
  if (schema.type === "string") return make("input", { id, "aria-label": words(name), value: value ?? "", onchange: (event) => set(event.target.value) });
  return make("input", { id, type: "number", "aria-label": words(name), step: schema.type === "integer" ? "1" : "any",
    min: String(schema.minimum ?? schema.exclusiveMinimum ?? 0), value: String(value ?? schema.default ?? ""),
    onchange: (event) => set(schema.type === "integer" ? Math.round(Number(event.target.value)) : Number(event.target.value)) });
}

function select(id, name, options, value, set) {
  return make("select", { id, "aria-label": words(name), onchange: (event) => set(event.target.value) },
    ...options.map((each) => make("option", { value: each, selected: each === value }, each)));
}

export function sensitive(policy) {
  return withRole(policy, "sensitive");
}

function withRole(policy, role) {
  return Object.entries(policy.attributes ?? {}).filter(([, attribute]) => attribute.role === role).map(([name]) => name);
}

export function fillAdding(box, { draft, catalogue }, names) {
  const fitting = catalogue.guarantees.filter((each) => each.kinds.includes(draft.policy.kind) && each.schema.properties.population === undefined);
  box.replaceChildren(...fitting.map((each) => make("option", { value: each.name, selected: each.name === LIKELY[draft.policy.kind] }, names[each.name] ?? words(each.name))));
}

export function addGuarantee(draft, catalogue, model) {
  const part = catalogue.guarantees.find((each) => each.name === model && each.kinds.includes(draft.policy.kind));
  draft.change((policy) => {
    const given = { model };
    for (const name of part.schema.required ?? []) if (name !== "model") given[name] = name === "attribute" ? sensitive(policy)[0] ?? "" : DEFAULTS[name] ?? 1;
    policy.guarantees.push(given);
    if (!fitting(policy, catalogue).some((each) => each.name === policy.method?.name)) policy.method = { name: fitting(policy, catalogue)[0]?.name ?? policy.method?.name };
  });
}

// Methods that can give all chosen guarantees. In a graph, guarantees of tables apply to the nodes' attributes.
function fitting(policy, catalogue) {
  const own = policy.guarantees.map((each) => each.model).filter((model) => policy.kind === "table" || !catalogue.guarantees.some((each) => each.name === model && each.kinds.includes("table")));
  return catalogue.methods.filter((each) => each.kinds.includes(policy.kind) && own.every((model) => each.guarantees.includes(model)) && !(each.schema.required ?? []).includes("steps"));
}

export function renderMethods(box, hint, { draft, catalogue }) {
  const found = fitting(draft.policy, catalogue);
  const name = draft.policy.method?.name;
  const listed = found.some((each) => each.name === name) ? found : [...found, { name, summary: "This method cannot give all of these guarantees." }];
  box.replaceChildren(...listed.map((each) => make("option", { value: each.name, selected: each.name === name }, words(each.name ?? ""))));
  hint.textContent = listed.find((each) => each.name === name)?.summary ?? "";
}

export function inWords(policy, said) {
  return policy.guarantees.map((each) => (said.sentences[each.model] ?? words(each.model)).replace(/\{(\w+)\}/g,
    (_, name) => (name in DERIVED ? DERIVED[name](each, policy, said) : each[name] ?? name)));
}
