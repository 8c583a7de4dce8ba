// Imported before all test files of a process: they only add their tests, because some files are loaded later than others.
Object.assign(globalThis, { UVU_DEFER: 1, UVU_QUEUE: [[null]], UVU_INDEX: 0 });
