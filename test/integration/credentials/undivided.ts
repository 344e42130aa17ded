import type { Database } from '../../../platform/postgres/db.ts';
import { ONE_PART } from '../../../services/credentials/parts/part-map.ts';
import { type Parts, partsIn } from '../../../services/credentials/parts/parts.ts';

/** Credentials that are not divided. */
export function undivided(db: Database): Parts {
    return partsIn([db], ONE_PART);
}
