// Loaded into the built program with --import: writes its peak memory in bytes to the file
// PEAK_FILE.
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => {
  writeFileSync(process.env.PEAK_FILE, String(ownPeak() ?? process.resourceUsage().maxRSS * 1024));
});

// Linux counts the memory of the parent at the start of a process to the usage of its resources.
function ownPeak() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
