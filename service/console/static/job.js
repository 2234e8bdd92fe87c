// A running job: server-sent events of status, stage and progress; an ended job has another page.
import "./forms.js";
import { leave } from "./notice.js";

const box = document.getElementById("job");
const stages = [...document.querySelectorAll("[data-stage]")];
const ended = ["released", "assessed", "refused", "failed", "cancelled"];

const source = new EventSource(`/v1/jobs/${box.dataset.id}/events`);
source.addEventListener("job", (event) => show(JSON.parse(event.data)));
source.addEventListener("error", () => {
  // The stream ends with the job; a browser would only open it again.
  if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 2000);
});

function show(job) {
  if (ended.includes(job.status)) {
    source.close();
    leave("");
    location.reload();
    return;
  }
  document.getElementById("headline").textContent = job.status === "queued" ? "Waiting for a worker" : "Running";
  const badge = document.querySelector("#status .badge");
  badge.className = `badge badge--${job.status}`;
  badge.lastChild.textContent = job.status;
  document.getElementById("stage").textContent = job.stage ?? "";
  document.getElementById("progress").value = job.progress;
  const now = stages.findIndex((item) => item.dataset.stage === job.stage);
  stages.forEach((item, place) => {
    if (place < now) item.dataset.state = "done"; else delete item.dataset.state;
    if (place === now) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
  });
}
