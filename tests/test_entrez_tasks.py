"""Questions to NCBI read by meaning: text tables of wordings, with the task and its subject."""

from __future__ import annotations

import tomllib

import pytest

from query.entrez_search.entities import find_entities
from query.entrez_search.tasks import read_task
from tests.conftest import ROOT

SEQUENCE = "GTTGACCATGCTAGGCATTCAAGGCTTACGATCCGTAAGCTTGCAATCGG"

READ = f"""
what are the aliases of TP53                           | aliases of gene            | TP53
ENSG00000141510.18?                                    | symbol of identifier       | ENSG00000141510
On what chromosome is ENSG00000141510?                 | place of gene              | ENSG00000141510
Which chromosome is TP53 gene located on human genome? | place of gene              | TP53
Where does BRCA2 sit?                                  | place of gene              | BRCA2
Is ATP5F1EP2 a protein-coding gene?                    | coding of gene             | ATP5F1EP2
Does XIST encode a protein?                            | coding of gene             | XIST
What is the function of PTH1?                          | function of gene           | PTH1
Which diseases is CFTR linked to?                      | diseases of gene           | CFTR
anti-SNAT6: which gene symbol is that?                 | gene of alias              | SNAT6
Which chromosome does SNP RS1430464868 locate on?      | place of variant           | rs1430464868
Where is rs7412?                                       | place of variant           | rs7412
What is the function of the gene associated with rs7412? | function of variant's gene | rs7412
List aliases of the gene at rs7412.                    | aliases of variant's gene  | rs7412
Someone has Haim-Munk syndrome. Which genes matter?    | genes of disease           | Haim-Munk syndrome
List chromosome locations of the genes related to Sialidosis. | places of disease's genes | Sialidosis
which chromosome does {SEQUENCE} come from                 | place of sequence          | {SEQUENCE}
Which organism does the DNA sequence come from:{SEQUENCE} | organism of sequence    | {SEQUENCE}
Which virus is {SEQUENCE}?                             | virus of sequence          | {SEQUENCE}
What gene is {SEQUENCE} from?                          | gene of sequence           | {SEQUENCE}
What are the aliases of the gene that contains {SEQUENCE}? | aliases of sequence's gene | {SEQUENCE}
{SEQUENCE}                                             | organism of sequence       | {SEQUENCE}
How many genomes of Zika virus are in GenBank?         | genomes of taxon           | Zika virus
Reference genome of SARS-CoV-2                         | genomes of taxon           | SARS-CoV-2
Nucleotide records of taxid 64320                      | records of taxon           | txid64320[Organism]
Which project is SYNR9000001 from?                      | project of run             | SYNR9000001
What is SYNP900001 about?                             | project                    | SYNP900001
What is NC_045512.2?                                   | record                     | NC_045512.2
hepatitis E virus, GenBank accesions pls               | records of taxon | hepatitis E virus
what lenght has the genome of Nipah virus              | genomes of taxon | Nipah virus
By how many genomes is Zika virus represented in NCBI? | genomes of taxon | Zika virus
Brittle bones disease: which genes?                    | genes of disease | Brittle bones disease
Which gene was cloned in 1998 as hCAP?                 | gene of alias    | hCAP
"""  # noqa: E501


@pytest.mark.parametrize("line", READ.strip().splitlines())
def test_a_question_sets_the_task_that_it_means(line: str) -> None:
    question, kind, subject = (cell.strip() for cell in line.split("|"))
    task = read_task(question)
    assert task is not None
    assert (task.kind, task.subject) == (kind, subject)


MEANT = {
    "Gene alias": ("gene of alias", "hCAP"),
    "Gene name conversion": ("symbol of identifier", "ENSG00000141510"),
    "Gene SNP association": ("gene of variant", "rs1217074595"),
    "Gene disease association": ("genes of disease", "Diabetes mellitus due to tapir deficiency"),
    "Human genome DNA aligment": ("place of sequence", SEQUENCE),
}


@pytest.mark.parametrize("task", MEANT)
def test_other_wordings_of_a_task_mean_the_same(task: str) -> None:
    path = ROOT / "tests" / "gold" / "entrez_first_sight.toml"
    worded = tomllib.loads(path.read_text(encoding="utf-8"))[task]
    kind, subject = MEANT[task]
    texts = [*worded["first_sight"], *worded["far"], *worded["last"]]
    assert len(texts) == 26
    for text in texts:
        read = read_task(text.replace("{}", subject))
        assert read is not None, text
        assert (read.kind, read.subject) == (kind, subject), text


@pytest.mark.parametrize(
    "question",
    ["Which viruses turn up in bats?", "How are you?", "what is the weather like", "?"],
)
def test_what_names_nothing_of_ncbi_is_no_task(question: str) -> None:
    assert read_task(question) is None


def test_words_of_a_question_before_the_name_of_a_disease_are_not_part_of_it() -> None:
    asked = "What is the genetic basis of Mitochondrial DNA depletion syndrome 4A Alpers type?"
    named = "Mitochondrial DNA depletion syndrome 4A Alpers type"
    assert find_entities(asked).phrase == named
    both = "Which genes cause cleft palate with or without ankyloglossia due to TBX22 deficiency?"
    assert (
        find_entities(both).phrase
        == "cleft palate with or without ankyloglossia due to TBX22 deficiency"
    )


def test_nineteen_bases_are_no_sequence_and_rna_is_read_as_dna() -> None:
    assert find_entities("is ACGTACGTACGTACGTACG human").sequence == ""
    assert find_entities("what is acguacguacguacguacgu").sequence == "ACGTACGTACGTACGTACGT"
