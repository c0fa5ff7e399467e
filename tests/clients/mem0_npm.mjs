// Run where npm's mem0ai is installed: calls every method of its client once and prints what came of each as JSON.
import { createRequire } from "node:module";
const { MemoryClient } = createRequire(process.cwd() + "/")("mem0ai");

const [host, apiKey] = process.argv.slice(2);
const client = new MemoryClient({ apiKey, host });
const done = {};

async function call(name, args, check = () => true) {
  try {
    const answer = await client[name](...args);
    if (!check(answer)) done[name] = "FAILED: " + JSON.stringify(answer);
    else done[name] ??= "pass";
    return answer;
  } catch (error) {
    done[name] = `plain: ${error.name}: ${error.message}`;
  }
}

async function tell(text, fields = {}) {
  const options = { userId: "alice", infer: false, ...fields };
  const answer = await call("add", [[{ role: "user", content: text }], options], (a) => a.results.length === 1);
  return answer.results[0].id;
}

await call("ping", []);
const talk = [{ role: "user", content: "I live in Toronto and I work at the museum these days." }];
await call("add", [talk, { userId: "alice", metadata: { trip: 1 } }], (a) => a.status === "PENDING");
const first = await tell("Alice sails on Sundays.", { metadata: { a: 1 } });
const second = await tell("Alice plays the cello.", { runId: "r1", agentId: "robot", appId: "app" });
const third = await tell("Bob paints boats.", { userId: "bob" });
const alice = { filters: { user_id: "alice" } };
await call("get", [first], (a) => a.memory === "Alice sails on Sundays." && a.metadata.a === 1);
await call("search", ["sails", { ...alice, topK: 10 }], (a) => a.results[0].id === first);
await call("search", ["cello", { filters: { AND: [{ user_id: "alice" }, { run_id: "r1" }] } }], (a) => a.results[0].id === second);
await call("getAll", [{ ...alice, page: 1, pageSize: 5 }], (a) => a.count === 1 && a.results[0].userId === "alice");
await call("update", [first, { text: "Alice sails on Mondays.", expirationDate: "2999-01-01" }], (a) => a.expirationDate === "2999-01-01");
await call("history", [first], (a) => a.length === 2 && a[1].newMemory === "Alice sails on Mondays.");
await call("feedback", [{ memory_id: first, feedback: "POSITIVE" }], (a) => a.id === first);
await call("batchUpdate", [[{ memoryId: first, text: "Alice rows on Mondays." }]], (a) => a.message.includes("1 memories"));
await call("users", [], (a) => a.results.some((each) => each.name === "alice" && each.type === "user"));
const made = await call("createMemoryExport", [{ schema: { type: "object" }, filters: { user_id: "alice" } }], (a) => a.id);
await call("getMemoryExport", [{ memoryExportId: made.id }], (a) => a.count === 1);
await call("getProject", [{}], (a) => a.id === client.projectId);
await call("updateProject", [{ customInstructions: "Only pets." }]);
await call("getWebhooks", []);
await call("createWebhook", [{ url: "https://example.org", name: "hook", eventTypes: ["memory_add"] }]);
await call("updateWebhook", [{ webhookId: "1", name: "hook" }]);
await call("deleteWebhook", [{ webhookId: "1" }]);
await call("getProfile", [{ entityId: "alice" }], (a) => a.entityId === "alice");
await call("getProfileSettings", [], (a) => a.enabled === true);
await call("updateProfileSettings", [{ enabled: false }]);
await call("generateProfile", [{ entityId: "alice" }]);
await call("sampleProfiles", [{ limit: 1 }]);
await call("getProfileJob", ["1"]);
await call("delete", [first], (a) => a.message.includes("deleted"));
await call("batchDelete", [[third]], (a) => a.message.includes("1 memories"));
await call("deleteAll", [{ userId: "alice" }], (a) => a.message.includes("deleted"));
// An erasure that takes longer than a request goes on in the background, and says so.
const isErased = (a) => /deleted|being erased/.test(a.message);
await call("deleteUser", [{ entity_type: "user", entity_id: "bob" }], isErased);
await call("deleteUsers", [], isErased);
const ours = Object.getOwnPropertyNames(Object.getPrototypeOf(client));
done.missed = ours.filter((name) => name !== "constructor" && !name.startsWith("_") && !(name in done));
console.log(JSON.stringify(done));
