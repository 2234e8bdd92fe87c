// What a program does with types that were generated from the OpenAPI document: upload with a policy, follow, download.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { env: Record<string, string>; stdout: { write(text: string): void } };

const { URL_OF_SERVICE, TOKEN, CONTENT, POLICY } = process.env;
const client = createClient<paths>({ baseUrl: URL_OF_SERVICE, headers: { Authorization: `Bearer ${TOKEN}` } });
const policy: components["schemas"]["TablePolicy"] = JSON.parse(POLICY);

const uploaded = await client.POST("/v1/datasets", {
  body: { metadata: { name: "generated", kind: "table" }, policy, file: CONTENT },
  bodySerializer(body) {
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) {
      const content = typeof value === "string" ? value : JSON.stringify(value);
      form.append(name, new Blob([content]), typeof value === "string" ? "upload.csv" : undefined);
    }
    return form;
  },
});
if (uploaded.data === undefined || !("job" in uploaded.data)) throw new Error(JSON.stringify(uploaded.error));
let job: components["schemas"]["Job"] = uploaded.data.job;
while (!["released", "refused", "failed", "cancelled"].includes(job.status)) {
  const asked = { params: { path: { id: job.id }, query: { wait: 20 } } };
  const followed = await client.GET("/v1/jobs/{id}", asked);
  if (followed.data === undefined) throw new Error(JSON.stringify(followed.error));
  job = followed.data;
}
if (job.status !== "released" || !job.release_id) throw new Error(JSON.stringify(job));
const wanted = { path: { id: job.release_id }, query: { format: "csv" } };
const released = await client.GET("/v1/releases/{id}/data", { params: wanted, parseAs: "text" });
if (released.data === undefined) throw new Error(JSON.stringify(released.error));
process.stdout.write(released.data as string);
