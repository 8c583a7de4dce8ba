import { COMMIT_WITH_LMDB } from '../../../support/version-before.ts';
import { testOldFolder } from './old-folders.ts';
import { thereAndBack } from './there-and-back.ts';

testOldFolder('a folder of the last version with LMDB', thereAndBack, COMMIT_WITH_LMDB);
