/** The words of what comes later come with it. */

import { learnTexts } from "../app/words.js";
import { settingsTexts } from "./settings_texts.js";
import { laterTexts } from "./texts.js";

learnTexts(laterTexts);
learnTexts(settingsTexts);
