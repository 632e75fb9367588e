import { Io } from './io.ts';
import { Services } from './services.ts';

/** What a command gets: the input and output of its run, and its services. */
export class Context extends Io {
  readonly services: Services = new Services(this);
}
