/** Adds the texts of this chunk. */

import { addTexts } from "../core/i18n.js";
import { settingsTexts } from "./settings_texts.js";
import { dialogTexts } from "./texts.js";

addTexts(dialogTexts);
addTexts(settingsTexts);
