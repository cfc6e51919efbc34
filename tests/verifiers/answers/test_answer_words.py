"""Every announcing word, found in a sentence of its language by the sign that makes it one."""

import re

import pytest

from rewardgate.verifiers.answers.announced import announced_answer
from rewardgate.verifiers.answers.answer_words import ASCII_POOL, OTHER_WORDS, AnswerWord
from rewardgate.verifiers.answers.statements import RANKED_METHODS

SENTENCES = (
    "Answer: 42", "The answer is 42.", "The answers are 42.", "The correct answer to the question would be 42.",
    "THE ANSWER IS 42.", "The final answer equals 42.", "The answer (in cm) = 42", "**Answer**\n42", "Answer -> 42",
    "A: 42", "Ans: 42", "ANS: 42", "ans. 42", "**A:** 42",
    "Antwort: 42", "Die Antwort lautet also 42.", "Die Antwort ist 42.", "Antwort: 42 – fünf größer als 37",
    "Respuesta: 42", "La respuesta es 42.", "La respuesta sería 42.",
    "Resposta: 42", "A resposta é 42.", "A resposta será 42.",
    "Risposta: 42", "La risposta è quindi 42.",
    "Antwoord: 42", "Het antwoord is 42.",
    "Jawaban: 42", "Jawabannya adalah: 42", "Jawaban adalah 42.",
    "Jibu: 42", "Jibu ni 42.",
    "Cevap: 42", "cevap: 42", "Doğru cevap: 42",
    "Vastaus: 42", "Vastaus on 42.",
    "Svar: 42", "Svaret är 42.", "Svaret er 42.",
    "Raspuns: 42", "Raspunsul este 42.", "Răspuns: 42", "Răspunsul este 42.", "Răspuns corect: 42",
    "Réponse : 42", "La réponse est donc 42.",
    "答案：42", "答案是42。", "答案应该是42", "最终答案为42", "答：42", "答え：42", "答えは42です。",
    "故选：42", "故选 42", "解答：42", "回答：42", "A：42",
    "답: 42", "답은 42입니다.", "정답: 42", "정답은 42입니다.",
    "Ответ: 42", "Ответ равен 42.", "Ответ — 42.",
    "Відповідь: 42", "Відповідь — 42.",
    "Odpowiedź: 42", "Odpowiedź to 42.", "Odpověď: 42", "Odpověď je 42.",
    "Válasz: 42", "Đáp án: 42", "Đáp án là 42.", "đáp án: 42", "Trả lời: 42",
    "उत्तर: 42", "उत्तर है 42", "উত্তর: 42", "উত্তর হল 42", "సమాధానం: 42", "คำตอบ: 42", "คำตอบคือ 42",
    "الإجابة: 42", "الجواب: 42", "الجواب هو 42", "תשובה: 42", "Απάντηση: 42", "Απάντηση είναι 42",
)  # fmt: skip


def test_a_word_with_its_sign_announces_what_follows() -> None:
    for sentence in SENTENCES:
        found = announced_answer(f"6 * 7 = 40 + 2.\n{sentence}", methods=RANKED_METHODS)
        assert found is not None, sentence
        assert re.findall(r"\d+", found.answer.text)[:1] == ["42"], sentence
        assert found.answer.outcome is None, sentence


def is_tried(word: AnswerWord) -> bool:
    texts = [f"x\n{sentence}" for sentence in SENTENCES]
    return any(word.pattern.match(text, text.index(word.stem)) for text in texts if word.stem in text)


def test_every_word_is_tried_in_some_sentence() -> None:
    assert [word for word in {*ASCII_POOL, *OTHER_WORDS} if not is_tried(word)] == []


@pytest.mark.parametrize(
    "text", ["The answer sheet has 42 lines", "Antwort 42", "Respuesta 42", "Svar 42", "答案 42", "Ответ 42", "Jibu 42"]
)
def test_a_word_without_its_sign_announces_nothing(text: str) -> None:
    assert announced_answer(text, methods=RANKED_METHODS) is None


def test_words_of_ascii_letters_are_looked_for_in_every_text() -> None:
    assert not any(word.stem.isascii() for word in OTHER_WORDS)
    lengths = [len(word.stem) for word in OTHER_WORDS]
    assert lengths == sorted(lengths, reverse=True)
