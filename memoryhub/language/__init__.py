"""Plain text in many languages: sentences, tokens, the language, dates and names, without a model."""

from memoryhub.language import dates
from memoryhub.language.language_detection import by_any_common_word, by_common_words, detect
from memoryhub.language.place_names import named as named_elsewhere
from memoryhub.language.proper_names import names
from memoryhub.language.sentence_splitter import clean, sentences
from memoryhub.language.tokenizer import content, folded, stem, stems, telling, tokens

__all__ = [
    "by_any_common_word",
    "by_common_words",
    "clean",
    "content",
    "dates",
    "detect",
    "folded",
    "named_elsewhere",
    "names",
    "sentences",
    "stem",
    "stems",
    "telling",
    "tokens",
]
