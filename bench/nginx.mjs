// nginx with its own configuration and directories, on a free loopback port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_TIMEOUT_MS = 5000;

/** A free port. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Serves `<directory>/pages/<cursor>.json.gz` as `GET /dois?…page[cursor]=<cursor>…`, compressed as
 * it is on disk.
 *
 * @param {string} directory an existing directory that nginx may fill
 * @param {number} port
 * @returns {Promise<() => Promise<void>>} stops the server
 * @throws {Error} with nginx's message when it does not start
 */
export async function startNginx(directory, port) {
  await mkdir(join(directory, 'tmp'), { recursive: true });
  await writeFile(join(directory, 'nginx.conf'), configuration(port));
  const args = ['-p', directory, '-c', 'nginx.conf', '-e', join(directory, 'error.log')];
  const child = spawn('nginx', args, { stdio: 'ignore' });
  process.once('exit', () => child.kill());
  let failure;
  child.on('error', (error) => {
    failure = error.message;
  });
  child.on('exit', (code) => {
    failure ??= `exit code ${code}`;
  });

  const stop = async () => {
    if (child.exitCode !== null || child.pid === undefined) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(port))) {
    if (failure || Date.now() > deadline) {
      await stop();
      const log = await readFile(join(directory, 'error.log'), 'utf8').catch(() => '');
      throw new Error(`nginx does not answer on port ${port}: ${failure ?? 'too slow'}\n${log}`);
    }
    await sleep(20);
  }
  return stop;
}

async function answers(/** @type {number} */ port) {
  try {
    return (
      await fetch(`http://127.0.0.1:${port}/heartbeat`, { signal: AbortSignal.timeout(1000) })
    ).ok;
  } catch {
    return false;
  }
}

/** One process in the foreground: no daemon, and no worker that changes its user. */
function configuration(/** @type {number} */ port) {
  return `daemon off;
master_process off;
pid nginx.pid;
error_log error.log warn;
events { worker_connections 64; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 1000000;
  client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
  uwsgi_temp_path tmp; scgi_temp_path tmp;
  # The query has the cursor as page%5Bcursor%5D or page[cursor]; its page is the file of that name.
  map_hash_bucket_size 128;
  map $args $cursor {
    "~(?:^|&)page(?:%5B|\\[)cursor(?:%5D|\\])=(?<token>[A-Za-z0-9_-]+)" $token;
    default none;
  }
  types { }
  default_type application/vnd.api+json;
  server {
    listen 127.0.0.1:${port};
    root .;
    location = /heartbeat { return 200 OK; }
    location = /dois {
      gzip_static on;
      add_header X-Anonymous-Consumer true;
      rewrite ^ /pages/$cursor.json break;
    }
  }
}
`;
}
