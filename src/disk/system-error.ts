import { errorCode } from '../errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EBUSY: 'it is in use',
  EDQUOT: 'your quota of disk space is used up',
  EEXIST: 'it exists already',
  EFBIG: 'the file is larger than the system allows',
  EINVAL: 'the system does not allow this here',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its links go in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'too many files are open',
  ENODEV: 'there is no such device',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOTEMPTY: 'the folder is not empty',
  ENXIO: 'there is no such device',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ESTALE: 'the network file system has lost it',
  EXDEV: 'it is on another file system',
};

/** The reason of a failed operation on a file, in words; an error that is not the system's has its own. */
export function systemReason(error: unknown): string {
  const { message } = error as Error;
  const code = errorCode(error) ?? '';
  // Errors of our own with a system's code have words already.
  return (message.startsWith(`${code}:`) ? REASONS[code] : undefined) ?? message;
}
