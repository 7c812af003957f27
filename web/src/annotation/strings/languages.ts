// SPDX-License-Identifier: MIT
import { english, type Key } from "./english";
import { german } from "./german";

/** The texts of the annotator's page by language. The program has them, too, see web/strings.mjs. */
export const LANGUAGES: Record<string, Record<Key, string>> = { en: english, de: german };
