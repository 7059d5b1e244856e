"""The agent `mc:N`: how it is named and refused, what it proposes, and that searching helps."""

import numpy as np
import pytest
import torch as th

from agents import AgentError, make_agent
from agents.learned import card_of, save_agent
from agents.network import Actor
from agents.search import LEAST_CHANCE, MOST_PROPOSED, SearchAgent
from eval.arena import meet, play, summary
from rummy_env.envs.tables import Tables
from rummy_env.games import game_of
from rummy_env.monte_carlo import MOST_SEARCHED
from rummy_env.reward import CHANCE, REWARDS
from rummy_env.rules import make_rules
from tests.blind import assert_agent_blind
from tests.helpers import JIT, count


@pytest.fixture(scope="module")
def raw(tmp_path_factory) -> str:
    """The folder of an agent that has learned nothing."""
    folder = tmp_path_factory.mktemp("raw")
    th.manual_seed(4)
    actor = Actor(game_of("gin-eaai"), (8,), outlook=True)
    save_agent(folder, actor, card_of("gin-eaai", make_rules("gin-eaai"), actor))
    return str(folder)


def test_names_are_read(raw):
    agent = make_agent("mc:24", "gin-eaai")
    assert isinstance(agent, SearchAgent)
    assert (agent.name, agent.worlds, agent.caution, agent.price) == ("mc:24", 24, 2.0, CHANCE)
    assert (agent.base.name, agent.needs_observation, agent.outlook) == ("swift", False, False)
    agent = make_agent("mc:8,caution=1.5,price=points,rollout=simple+greedy:knock=6,safe=0", "gin-ru")
    assert (agent.worlds, agent.caution, REWARDS[agent.price], agent.base.name) == (8, 1.5, "points", "greedy:knock=6,safe=0")
    assert agent._policies[0] == game_of("gin-ru").parse_policy("simple")[0]
    agent = make_agent(f"mc:8+{raw}", "gin-eaai")
    assert (agent.base.name, agent.needs_observation, agent.outlook) == (raw, True, True)
    agent = make_agent("mc:4", "rum500-ru")
    assert (agent.base.name, REWARDS[agent.price]) == ("greedy500", "margin")


@pytest.mark.parametrize(
    ("text", "variant", "said"),
    [
        ("mc:", "gin-es", "mc:: write mc:WORLDS"),
        ("mc:0", "gin-es", "mc:0 is not possible: 1 to 1,000,000 worlds"),
        ("mc:1000001", "gin-es", "1 to 1,000,000 worlds"),
        ("mc:x", "gin-es", "mc:x: write mc:WORLDS, as mc:256"),
        ("mc:-3", "gin-es", "write mc:WORLDS"),
        ("mc:²", "gin-es", "write mc:WORLDS"),
        ("mc:+simple", "gin-es", "write mc:WORLDS"),
        ("mc:8,foo=1", "gin-es", "mc has no option 'foo' (it has: caution, price, rollout)"),
        ("mc:8,", "gin-es", "mc has no option ''"),
        ("mc:8,caution", "gin-es", "caution= is no number"),
        ("mc:8,caution=high", "gin-es", "caution=high is no number"),
        ("mc:8,caution=-1", "gin-es", "caution=-1.0 is not possible: 0 to 100"),
        ("mc:8,caution=nan", "gin-es", "caution=nan is not possible"),
        ("mc:8,price=win", "gin-es", "price=win is not possible: points | margin | place | chance"),
        ("mc:8,price=chance", "rum500-ru", "price=chance is not possible: points | margin | place"),
        ("mc:8,rollout=nobody", "gin-es", "rollout: unknown policy 'nobody'"),
        ("mc:8,rollout=greedy500", "gin-es", "rollout: unknown policy 'greedy500'"),
        ("mc:8+nobody", "gin-es", "unknown agent 'nobody'"),
        ("mc:8+greedy500", "gin-es", "unknown agent 'greedy500'"),
        ("mc:8+mc:8", "gin-es", "mc cannot search for 'mc:8': only for scripted and learned agents"),
        ("mc:8+sb3:x.zip", "gin-es", "say --trust"),
        ("mc:8+pretrained:none", "gin-es", "no released agent 'none'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(text, variant, said):
    with pytest.raises(AgentError) as refused:
        make_agent(text, variant)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_agent_of_another_variant_needs_transfer(raw):
    with pytest.raises(AgentError, match="trained for 'gin-eaai', not for 'gin-es'"):
        make_agent(f"mc:8+{raw}", "gin-es")
    assert make_agent(f"mc:8+{raw}", "gin-es", transfer=True).worlds == 8


def test_a_scripted_base_proposes_all_there_is_its_own_choice_first():
    agent, tables = make_agent("mc:4+simple", "gin-eaai"), Tables(16, "gin-eaai", 3)
    for _ in range(8):
        dice = tables.state.dice.copy()
        own = tables.view().scripted(agent.base.policy, agent.base.parameters)
        tables.state.dice[:] = dice
        actions, proposed, values = agent.search(*tables.observe(), tables.view())
        assert np.array_equal(proposed[:, 0], own)
        assert not values[:, 0].any()
        for row, mask in enumerate(tables.masks()):
            assert actions[row] in proposed[row]
            assert mask[proposed[row][proposed[row] >= 0]].all()
        tables.step(own)
        tables.start_matches(tables.all_rows[tables.over])


def test_a_learned_base_proposes_its_likeliest_actions(raw):
    agent, tables = make_agent(f"mc:4+{raw}", "gin-eaai"), Tables(16, "gin-eaai", 3)
    several = 0
    for _ in range(6):
        obs, masks = tables.observe(outlook=True)
        chances = agent.base.chances(obs, masks)
        actions, proposed, _ = agent.search(obs, masks, tables.view())
        assert proposed.shape == (16, MOST_SEARCHED)
        for row in range(16):
            found = proposed[row][proposed[row] >= 0]
            assert (proposed[row, len(found) :] == -1).all()
            assert 1 <= len(found) <= MOST_PROPOSED
            assert len(set(found.tolist())) == len(found)
            assert masks[row, found].all()
            assert found[0] == chances[row].argmax()
            likely = chances[row, found]
            assert (np.diff(likely) <= 0).all()
            assert (likely[1:] >= LEAST_CHANCE).all()
            if len(found) < MOST_PROPOSED:
                assert (np.delete(chances[row], found) < LEAST_CHANCE).all()
            assert actions[row] in found
            several += len(found) > 1
        tables.step(actions)
        tables.start_matches(tables.all_rows[tables.over])
    assert several > 20


def test_a_table_without_a_legal_action_is_refused(raw):
    agent, tables = make_agent(f"mc:4+{raw}", "gin-eaai"), Tables(2, "gin-eaai", 3)
    obs, masks = tables.observe(outlook=True)
    masks[1] = 0
    with pytest.raises(AgentError, match="row 1 has no legal action"):
        agent.act(obs, masks, tables.view(), np.random.default_rng(0))


@pytest.mark.parametrize(("name", "variant", "policy"), [("mc:4", "gin-ru", "simple"), ("mc:2", "rum500-ru", "greedy500")])
def test_it_is_blind(name, variant, policy):
    n, rounds = (4, 10) if JIT else (1, 3)
    assert assert_agent_blind(make_agent(name, variant), variant, n, rounds, policy) > (10 if JIT else 0)


def test_a_batch_is_searched_table_by_table(raw):
    agent = make_agent("mc:6", "gin-eaai")
    whole, parts = Tables(6, "gin-eaai", 2), Tables(6, "gin-eaai", 2)
    nothing = np.empty((0, 0), np.float32), np.empty((0, 0), np.int8), np.random.default_rng(0)
    for _ in range(count(5, 3)):
        together = agent.act(*nothing[:2], whole.view(), nothing[2])
        one_by_one = [agent.act(*nothing[:2], parts.view(np.array([row])), nothing[2])[0] for row in range(6)]
        assert together.tolist() == one_by_one
        whole.step(together)
        parts.step(together)


needs_jit = pytest.mark.skipif(not JIT, reason="too many worlds for interpreted kernels")


def lead(name: str, decks: int):
    return summary(meet(make_agent(name, "gin-eaai"), make_agent("swift", "gin-eaai"), "gin-eaai", decks, 5))["points_per_deal"]


@needs_jit
def test_searching_beats_its_own_base():
    found = lead("mc:24,price=points", 60)
    assert found.mean > 0.5
    assert found.mean + found.half > 2


@needs_jit
@pytest.mark.slow
def test_searching_beats_its_own_base_clearly():
    found = lead("mc:64,price=points", 600)
    assert found.mean - found.half > 0.5


@needs_jit
def test_an_untrained_base_is_lifted(raw):
    found = []
    for name in (f"mc:8,caution=0,price=points+{raw}", raw):
        played = meet(make_agent(name, "gin-eaai"), make_agent("simple", "gin-eaai"), "gin-eaai", 12, 5)
        found.append(summary(played)["points_per_deal"].mean)
    assert found[0] > found[1] + 5


@needs_jit
def test_four_sit_down_to_500_rum():
    names = ("mc:4", "layer", "greedy500", "random")
    played = play([make_agent(name, "rum500-ru") for name in names], "rum500-ru", 3, 2)
    assert len(played.deals.points) == 12
    assert played.deals.points[:, 0].mean() > played.deals.points[:, 3].mean()
