/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_COMPONENT_H
#define FABRIC_COMPONENT_H

#include "fabric-engine.h"

#include "mechanisms/core/component.h"

#include "ns3/object.h"

#include <memory>
#include <string>

namespace ns3
{
namespace fabric
{

/// An ns-3 object around a component of the model: its attributes are the component's parameters.
class ComponentHolder
{
  public:
    virtual ~ComponentHolder() = default;
    virtual core::Component& GetComponent() const = 0;
};

/// Adds an attribute for every parameter of a self-description. Names: w_ai becomes WAi.
TypeId AddComponentAttributes(TypeId tid, const core::Description& description);

/// w_ai to WAi, hpcc_int to HpccInt.
std::string CamelCase(const std::string& snakeCase);

/// The attribute value for a parameter's value, and back. The type is the parameter's.
Ptr<AttributeValue> ToAttribute(const core::Param& param, const core::Value& value);

/**
 * \brief A mechanism: parameters of one host, switch or port. Per-flow state lives in the model.
 *
 * One class for all mechanisms: each has a TypeId of its own, ns3::fabric::Hpcc for hpcc, made from
 * its self-description, so that a mechanism added to the model is an ns-3 type without further
 * code.
 */
class FabricMechanism : public Object, public ComponentHolder
{
  public:
    static TypeId GetTypeId();
    FabricMechanism() = default;
    /// For ns3::CopyObject: a mechanism of the same type with the same parameters, before the
    /// simulation. An ObjectFactory takes ns-3 some ten times as long, as it writes every default
    /// as text.
    FabricMechanism(const FabricMechanism& other);

    core::Component& GetComponent() const override;

    /// TypeId name of the mechanism called so in the model: hpcc to ns3::fabric::Hpcc.
    static std::string TypeName(const std::string& component);

    /// Makes the TypeIds of mechanisms that have none yet. Those that are compiled into a program
    /// of one's own register themselves after the module; FabricHelper calls this.
    static void RegisterTypes();
    /// A type by its name. Ends the program, with the nearest name of this kind, if there is none.
    static TypeId Find(const std::string& name, core::Kind kind);

  private:
    /// Made at the first use, when the object knows its TypeId.
    mutable std::unique_ptr<core::Component> m_component;
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_COMPONENT_H */
