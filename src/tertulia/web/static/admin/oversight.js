/** Adds the texts of this chunk. */

import { addTexts } from "../core/i18n.js";
import { oversightTexts } from "./oversight_texts.js";

addTexts(oversightTexts);
