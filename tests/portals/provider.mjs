// An OpenID provider by others, as small as it gets: a portal with client credentials, and a console for people.
// Arguments: port, audience of access tokens, where the console is called back. Whoever signs in is a steward.
import Provider from "oidc-provider";

const [port, audience, callback] = process.argv.slice(2);
const roles = ["data-stewards"];
const resource = { scope: "", audience, accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } };

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: "portal",
      client_secret: "the-secret-of-the-portal",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
    },
    { client_id: "console", client_secret: "the-secret-of-the-console", redirect_uris: [callback] },
  ],
  pkce: { required: () => true },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      getResourceServerInfo: () => resource,
    },
  },
  claims: { openid: ["sub", "roles"] },
  conformIdTokenClaims: false,
  extraTokenClaims: () => ({ roles }),
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, roles }) }),
  ttl: { AccessToken: 600, ClientCredentials: 600, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
});
provider.listen(Number(port), "127.0.0.1");
