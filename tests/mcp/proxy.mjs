// Passes requests on to the server of the first argument, each with the token of the environment. Prints its own URL.
import http from "node:http";

const target = new URL(process.argv[2]);
const proxy = http.createServer((request, reply) => {
    const headers = { ...request.headers, authorization: `Bearer ${process.env.MCP_TOKEN}` };
    const { method, url: path } = request;
    const passed = http.request({ host: target.hostname, port: target.port, method, path, headers, setHost: false });
    passed.on("response", (answer) => {
        reply.writeHead(answer.statusCode, answer.headers);
        reply.flushHeaders();
        answer.pipe(reply);
    });
    passed.on("error", () => reply.destroy());
    reply.on("close", () => passed.destroy());
    request.pipe(passed);
});
proxy.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${proxy.address().port}${target.pathname}`));
