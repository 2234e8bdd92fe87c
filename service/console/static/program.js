// The same for programs: the page's request as curl, as Python and as the policy alone.

export function showProgram(dataset, policy) {
  const [curl, python, json] = [...document.querySelectorAll("#program-same pre code")];
  const address = `${location.origin}/v1/jobs`;
  const document_ = JSON.stringify(policy, null, 2);
  json.textContent = document_;
  curl.textContent = [
    `cat > policy.json <<'END'\n${document_}\nEND`,
    `jq -n --slurpfile policy policy.json '{dataset_id: "${dataset.id}", policy: $policy[0]}' |`,
    `  curl -H "Authorization: Bearer $ANTIFAZ_TOKEN" -H 'Content-Type: application/json' -d @- ${address}`,
  ].join("\n");
  python.textContent = [
    "import json, os, httpx",
    "",
    'policy = json.load(open("policy.json"))',
    `job = httpx.post("${address}", json={"dataset_id": "${dataset.id}", "policy": policy},`,
    '                 headers={"Authorization": "Bearer " + os.environ["ANTIFAZ_TOKEN"]}).json()',
    'print(job["id"], job["status"])',
  ].join("\n");
}
