// Calls the public API with the session of this page. Changes include the session's secret, which no other site can read.

const secret = document.querySelector('meta[name="antifaz-session"]')?.content ?? "";

export const sessionHeader = { "X-Antifaz-Session": secret };

export class Problem extends Error {
  constructor(body) {
    super(body.detail || body.title);
    this.body = body;
    this.status = body.status;
    this.errors = body.errors ?? [];
  }
}

export async function call(method, path, body) {
  const options = { method, headers: { ...sessionHeader }, credentials: "same-origin" };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  return answerOf(await fetch(path, options));
}

async function answerOf(response) {
  if (response.status === 204) return null;
  const type = response.headers.get("content-type") ?? "";
  const answer = type.includes("json") ? await response.json() : { title: response.statusText, status: response.status };
  if (response.status === 401) location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  if (!response.ok) throw new Problem(answer);
  return Object.assign(answer, response.status === 202 && !answer.status ? { waiting: true } : {});
}

// A form with a file, by XMLHttpRequest: fetch does not report how much was sent.
export function upload(path, form, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("X-Antifaz-Session", secret);
    request.upload.addEventListener("progress", (event) => progress(event.lengthComputable ? event.loaded / event.total : null));
    request.addEventListener("error", () => reject(new Problem({ title: "The connection was lost", status: 0 })));
    request.addEventListener("load", () => {
      let answer;
      try { answer = JSON.parse(request.responseText); } catch { answer = { title: request.statusText, status: request.status }; }
      if (request.status < 400) resolve(answer); else reject(new Problem(answer));
    });
    request.send(form);
  });
}
