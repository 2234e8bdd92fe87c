// The reference verifier of Standard Webhooks for JavaScript, asked about one request: a JSON document on standard input.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { Webhook } = createRequire(process.argv[2] + "/")("standardwebhooks");
const { secret, body, headers } = JSON.parse(readFileSync(0, "utf8"));
try {
  new Webhook(secret).verify(body, headers);
  console.log("accepted");
} catch (error) {
  console.log(error.name === "WebhookVerificationError" ? "refused" : `failed: ${error.message}`);
}
