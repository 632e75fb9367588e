// Replaces cli-spinners in the bundle: the two spinners that ora uses by itself, of more than eighty.
import { dots, line } from '../node_modules/cli-spinners/spinners.json';

export default { dots, line };
