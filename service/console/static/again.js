// Runs the policy of an ended job again: unchanged, or with one setting changed.
import { call } from "./api.js";
import { focusOn } from "./dom.js";

const box = document.getElementById("job");
const policy = JSON.parse(document.getElementById("policy")?.textContent ?? "null");
const answer = document.getElementById("answer");

const release = document.getElementById("release-this");
if (release && policy) {
  release.hidden = false;
  release.addEventListener("click", () => submit(policy, false, release));
}
for (const button of document.querySelectorAll(".nearest")) {
  button.hidden = policy === null;
  button.addEventListener("click", () => {
    submit(withSetting(policy, button.dataset.name, Number(button.dataset.value)), button.dataset.trial === "yes", button);
  });
}

// A parameter of guarantees (k, l, …), else a limit of the gate.
function withSetting(given, name, value) {
  const changed = structuredClone(given);
  const holders = changed.guarantees.filter((each) => name in each);
  if (holders.length) holders.forEach((each) => { each[name] = value; });
  else changed.gate = { ...(changed.gate ?? {}), [name]: value };
  return changed;
}

async function submit(chosen, trial, button) {
  button.disabled = true;
  answer.textContent = "";
  try {
    const body = { dataset_id: box.dataset.dataset, policy: chosen };
    if (trial) body.trial = true;
    const job = await call("POST", "/v1/jobs", body);
    location.assign(`/jobs/${job.id}`);
  } catch (problem) {
    answer.textContent = [problem.message, ...problem.errors.map((each) => `${each.pointer}: ${each.detail}`)].join(" · ");
    button.disabled = false;
    focusOn(answer);
  }
}
