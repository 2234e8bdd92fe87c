// Guesses about columns from their names and the beginning of the file, used while the service gives no advice.

const NAMES = [
  [/^(id|uuid|.*[_ ]?id|name|nom|nombre|cognoms?|apellidos?|surname|.*mail.*|phone|tel.*|dni|nif|nie|ssn|passport|iban|address|adre.a|direcci.n)$/i, "identifier"],
  [/(diagnos|disease|illness|malalt|enferm|maladie|krank|income|salar|sou|religi|vote|hiv|icd|result|grade|score)/i, "sensitive"],
  [/(age|edat|edad|alter|birth|naix|nacim|geburt|zip|postal|cp$|plz|sex|gender|g.nere|city|municip|ciudad|region|country|pais|nation|job|occup|profes|race|ethnic|marital|educ|date|data$|fecha)/i, "quasi_identifier"],
];

export function guessRole(name, values) {
  for (const [pattern, role] of NAMES) if (pattern.test(name)) return { role, reason: `Its name suggests ${article(role)}.` };
  const distinct = new Set(values).size;
  if (values.length >= 20 && distinct === values.length) return { role: "identifier", reason: "Every value at the beginning of the file is different." };
  return { role: "quasi_identifier", reason: "Nothing is known about it, so it is treated as something that others may know." };
}

function article(role) {
  return { identifier: "something that names a person", sensitive: "something that people keep to themselves", quasi_identifier: "something that others may know" }[role];
}

export function guessPolicy(dataset, sample) {
  if (dataset.kind === "graph") return { kind: "graph", attributes: roles(dataset, sample), guarantees: [{ model: "k_degree_anonymity", k: 3 }], method: { name: "k_degree" } };
  if (dataset.kind === "temporal_graph") return { kind: "temporal_graph", attributes: roles(dataset, sample), guarantees: [{ model: "k_degree_anonymity", k: 3 }], method: { name: "k_degree" } };
  return { kind: "table", attributes: roles(dataset, sample), guarantees: [{ model: "k_anonymity", k: 5 }], method: { name: "mondrian" }, gate: { max_suppressed: 0.05 } };
}

function roles(dataset, sample) {
  return Object.fromEntries((dataset.columns ?? []).map(({ name }) => [name, { role: guessRole(name, valuesOf(sample, name)).role }]));
}

export function valuesOf(sample, name) {
  const at = sample?.columns.indexOf(name) ?? -1;
  return at < 0 ? [] : sample.rows.map((row) => row[at] ?? "");
}
